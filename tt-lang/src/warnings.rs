//! What is certainly not meant but allowed: an output that is never stored to, a block that is never read, a grid whose
//! extent is rounded down.
//!
//! The kernel means what it says in all these cases, so they are no errors; each has a code and can be allowed.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    BlockId, Buffer, Element, ElementKind, IntExpr, IntOp, Kernel, Named, Op, Param, ParamId, Place, PrintItem, Span,
};
use crate::tree::operations;

/// Every warning about `kernel`, in the order of the source.
pub fn warnings(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut tensors = TensorUses {
        stored: vec![false; kernel.params.len()],
        read: vec![false; kernel.params.len()],
    };
    let mut found = Vec::new();
    for stage in &kernel.stages() {
        let mut uses = Uses {
            tensors: &mut tensors,
            read: vec![false; stage.blocks.len()],
            written: vec![false; stage.blocks.len()],
        };
        operations(&stage.body, &mut |op| uses.operation(op));
        found.extend(never_read(stage, &uses));
        found.extend(floor_divided(stage));
    }
    found.extend(never_stored(kernel, &tensors));
    found.extend(never_read_temporaries(kernel, &tensors));
    found.sort_by_key(|warning| {
        let location = kernel.location(warning.span);
        (location.line, location.column)
    });
    found
}

fn never_stored(kernel: &Kernel, uses: &TensorUses) -> Vec<Diagnostic> {
    let tensors = kernel.params.iter().zip(&uses.stored);
    tensors
        .filter_map(|(param, stored)| match param {
            Param::Tensor(tensor) if tensor.mutable && !stored => {
                let message = format!("`{}` is `&mut`, and nothing is stored to it", tensor.name);
                Some(
                    Diagnostic::new(&codes::NEVER_STORED, tensor.span, message).note(format!(
                        "store a block, `T.copy(block, {}[(row, col)])`, or take it as `&Tensor<..>`",
                        tensor.name
                    )),
                )
            }
            Param::Tensor(_) | Param::Scalar(_) | Param::Temporary(_) | Param::Derived(_) => None,
        })
        .collect()
}

fn never_read(kernel: &Kernel, uses: &Uses) -> Vec<Diagnostic> {
    let blocks = kernel.blocks.iter().zip(uses.read.iter().zip(&uses.written));
    blocks
        .filter(|(_, (read, _))| !**read)
        .map(|(block, (_, written))| unread("block", &block.name, block.span, *written))
        .collect()
}

fn never_read_temporaries(kernel: &Kernel, uses: &TensorUses) -> Vec<Diagnostic> {
    let params = kernel.params.iter().zip(uses.read.iter().zip(&uses.stored));
    params
        .filter_map(|(param, (read, stored))| match param {
            Param::Temporary(tensor) if !read => Some(unread("temporary", &tensor.name, tensor.span, *stored)),
            Param::Temporary(_) | Param::Tensor(_) | Param::Scalar(_) | Param::Derived(_) => None,
        })
        .collect()
}

fn unread(what: &str, name: &str, span: Span, written: bool) -> Diagnostic {
    let (message, note) = match written {
        true => (
            format!("the {what} `{name}` is written and never read"),
            "read it, or leave out what fills it",
        ),
        false => (format!("the {what} `{name}` is never used"), "leave it out"),
    };
    Diagnostic::new(&codes::NEVER_READ, span, message).note(note)
}

fn floor_divided(kernel: &Kernel) -> Vec<Diagnostic> {
    let axes = kernel.grid.axes.iter().filter_map(|(_, extent)| {
        let (over, by) = rounded_down(&extent.value)?;
        let (over, by) = (Named(kernel, over), Named(kernel, by));
        let message = format!("this grid leaves out the rest of `{over} / {by}`");
        Some(
            Diagnostic::new(&codes::FLOOR_DIVIDED_GRID, extent.span, message).note(format!(
                "write `{}.div_ceil({by})`: blocks may reach past the edge",
                parenthesised(&over.to_string())
            )),
        )
    });
    axes.collect()
}

/// Dividend and divisor, where a factor of the extent `expr` divides a symbolic extent and drops the rest.
fn rounded_down(expr: &IntExpr) -> Option<(&IntExpr, &IntExpr)> {
    match expr {
        IntExpr::Binary(IntOp::Mul, a, b) => rounded_down(a).or_else(|| rounded_down(b)),
        IntExpr::Binary(IntOp::Div, a, b) => {
            let by = b.as_const().filter(|by| *by > 1)?;
            let sum = Sum::of(a, by);
            // `(N + 63) / 64` rounds up, `(N * 64) / 64` has no rest, `(N - 32) / 64` leaves something out on purpose.
            let drops = sum.extent && sum.rest && (0..by - 1).contains(&sum.constant);
            drops.then_some((a, b))
        }
        IntExpr::Const(_)
        | IntExpr::Extent(_)
        | IntExpr::Scalar(_)
        | IntExpr::Var(_)
        | IntExpr::Fetched(_)
        | IntExpr::Binary(..) => None,
    }
}

/// What matters of a sum that is divided.
struct Sum {
    constant: i64,
    /// It mentions a symbolic extent.
    extent: bool,
    /// A part of it need not be a multiple of the divisor.
    rest: bool,
}

impl Sum {
    fn of(expr: &IntExpr, by: i64) -> Sum {
        let mut extent = false;
        expr.walk(&mut |part| extent |= matches!(part, IntExpr::Extent(_)));
        let atom = Sum {
            constant: 0,
            extent,
            rest: true,
        };
        match expr {
            IntExpr::Const(value) => Sum {
                constant: *value,
                extent,
                rest: false,
            },
            IntExpr::Binary(op @ (IntOp::Add | IntOp::Sub), a, b) => {
                let (a, b) = (Sum::of(a, by), Sum::of(b, by));
                match op.apply(a.constant, b.constant) {
                    Some(constant) => Sum {
                        constant,
                        extent,
                        rest: a.rest || b.rest,
                    },
                    None => atom,
                }
            }
            IntExpr::Binary(IntOp::Mul, a, b) => {
                let multiple = |side: &IntExpr| side.as_const().is_some_and(|factor| factor % by == 0);
                Sum {
                    rest: !multiple(a) && !multiple(b),
                    ..atom
                }
            }
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
                atom
            }
        }
    }
}

fn parenthesised(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { text.to_string() } else { format!("({text})") }
}

/// What happens to tensors, in any stage.
struct TensorUses {
    /// By parameter: something is stored to it.
    stored: Vec<bool>,
    /// By parameter: something of it is read.
    read: Vec<bool>,
}

/// What happens to tensors and to the blocks of a stage.
struct Uses<'a> {
    tensors: &'a mut TensorUses,
    /// By block: something other than itself is made of it.
    read: Vec<bool>,
    /// By block: something is put into it.
    written: Vec<bool>,
}

impl Uses<'_> {
    fn read(&mut self, block: BlockId) {
        self.read[block.index()] = true;
    }

    fn write(&mut self, block: BlockId) {
        self.written[block.index()] = true;
    }

    fn store(&mut self, tensor: ParamId) {
        self.tensors.stored[tensor.index()] = true;
    }

    fn operand(&mut self, place: &Place) {
        match place {
            Place::Block(block) => self.read(block.value),
            Place::Tensor(region) => self.tensors.read[region.tensor.index()] = true,
        }
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Copy { src, dst } => {
                self.operand(src);
                match dst {
                    Place::Block(block) => self.write(block.value),
                    Place::Tensor(region) => self.store(region.tensor),
                }
            }
            Op::Fill { block, .. } => self.write(block.value),
            Op::Gemm { a, b, acc, .. } => {
                self.operand(a);
                self.operand(b);
                self.write(acc.value);
            }
            Op::Parallel { assigns, .. } => {
                for assign in assigns {
                    self.loads(&assign.value, assign.target.buffer);
                    match assign.target.buffer {
                        Buffer::Block(block) => self.write(block),
                        Buffer::Tensor(tensor) => self.store(tensor),
                    }
                }
            }
            Op::Reduce { src, out, .. } => {
                self.read(src.value);
                self.write(out.value);
            }
            Op::ReduceArg {
                src, val, pos, clear, ..
            } => {
                self.read(src.value);
                // What it holds decides what becomes of the positions.
                val.iter().filter(|_| !clear).for_each(|val| self.read(val.value));
                val.iter().for_each(|val| self.write(val.value));
                self.write(pos.value);
            }
            Op::Transpose { src, dst } => {
                self.read(src.value);
                self.write(dst.value);
            }
            Op::Fetch { from, .. } => match from.buffer {
                Buffer::Block(block) => self.read(block),
                Buffer::Tensor(tensor) => self.tensors.read[tensor.index()] = true,
            },
            Op::Assert { .. } => {}
            Op::Print { items } => {
                for item in items {
                    match item {
                        PrintItem::Block { block, .. } => self.read(block.value),
                        PrintItem::Text(_) | PrintItem::Value(_) | PrintItem::Number(_) => {}
                    }
                }
            }
        }
    }

    /// What `value` is made of, apart from what it is put into.
    fn loads(&mut self, value: &Element, target: Buffer) {
        let mut read = Vec::new();
        value.walk(&mut |part| {
            if let ElementKind::Load(access) = &part.kind
                && access.buffer != target
            {
                read.push(access.buffer);
            }
        });
        for buffer in read {
            match buffer {
                Buffer::Block(block) => self.read(block),
                Buffer::Tensor(tensor) => self.tensors.read[tensor.index()] = true,
            }
        }
    }
}
