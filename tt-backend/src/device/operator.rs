//! Operators of two operands, and types of variables, of the emitted code.

use std::fmt;
use tt_lang::ir::{CompareOp, IntOp};

/// Writes an enumeration with the words of its values.
macro_rules! words {
    ($(#[doc = $about:literal])+ $name:ident { $($(#[doc = $what:literal])? $value:ident $word:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $word] $(#[doc = $what])? $value,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$value,)+];

            /// As dumps and the emitted code have it.
            pub const fn word(self) -> &'static str {
                match self { $($name::$value => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// An operator of two operands.
    Operator {
        Add "+",
        Sub "-",
        Mul "*",
        Div "/",
        Rem "%",
        /// The lesser of two, for which C++ has no operator: written out.
        Min "min",
        /// The greater of two, likewise.
        Max "max",
        Less "<",
        AtMost "<=",
        Greater ">",
        AtLeast ">=",
        Equal "==",
        NotEqual "!=",
        And "&&",
        Or "||",
    }
}

words! {
    /// The type of a variable.
    CppType {
        /// Of an integer of the language, which does not change.
        Int "int32_t",
        /// Of an address, a count or bits.
        Word "uint32_t",
        /// Of an integer of the language that changes from block to block.
        Changing "changing int32_t",
    }
}

impl CppType {
    /// As a variable is declared.
    pub const fn declared(self) -> &'static str {
        match self {
            CppType::Int => "const int32_t",
            CppType::Word => "uint32_t",
            CppType::Changing => "int32_t",
        }
    }
}

impl Operator {
    /// That of the language's integers; none of quotients that are rounded up, which are made of others.
    pub const fn of(op: IntOp) -> Option<Operator> {
        Some(match op {
            IntOp::Add => Operator::Add,
            IntOp::Sub => Operator::Sub,
            IntOp::Mul => Operator::Mul,
            IntOp::Div => Operator::Div,
            IntOp::Rem => Operator::Rem,
            IntOp::Min => Operator::Min,
            IntOp::Max => Operator::Max,
            IntOp::CeilDiv => return None,
        })
    }
}

impl From<CompareOp> for Operator {
    fn from(op: CompareOp) -> Operator {
        match op {
            CompareOp::Eq => Operator::Equal,
            CompareOp::Ne => Operator::NotEqual,
            CompareOp::Lt => Operator::Less,
            CompareOp::Le => Operator::AtMost,
            CompareOp::Gt => Operator::Greater,
            CompareOp::Ge => Operator::AtLeast,
        }
    }
}
