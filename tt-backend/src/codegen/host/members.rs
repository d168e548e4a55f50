//! What the host program calls the extents, scalars and tensors of the kernel.

use crate::names::Names;
use std::collections::HashMap;

/// The names of one host program.
pub struct Members {
    arguments: HashMap<String, String>,
    tensors: HashMap<String, String>,
}

impl Members {
    /// For a kernel with these extents and scalars, and these tensors.
    pub fn of<'a>(inputs: impl Iterator<Item = &'a str>, tensors: impl Iterator<Item = &'a str>) -> Members {
        let (mut members, mut variables) = (Names::default(), Names::default());
        let tensor = |name: &str| vec![tensor_name(name)];
        Members {
            arguments: inputs.map(|name| (name.to_string(), members.give(name))).collect(),
            tensors: tensors
                .map(|name| (name.to_string(), tensor_name(&variables.give_with(name, tensor))))
                .collect(),
        }
    }

    /// The member of `Arguments` that holds an extent or scalar.
    pub fn member(&self, name: &str) -> &str {
        self.arguments.get(name).map_or("", String::as_str)
    }

    /// The value of an extent or scalar.
    pub fn argument(&self, name: &str) -> String {
        format!("arguments.{}", self.member(name))
    }

    /// The variable that holds a tensor.
    pub fn tensor(&self, name: &str) -> &str {
        self.tensors.get(name).map_or("", String::as_str)
    }
}

fn tensor_name(name: &str) -> String {
    format!("tensor_{name}")
}
