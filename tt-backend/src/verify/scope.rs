//! Every name that an emitted expression mentions is declared where it stands: an argument, a variable of a loop around it, or
//! what was defined before it in a scope around it. A circular buffer has a place on the device, a tensor an accessor.
//!
//! ```text
//!  for (tile < 4) { first_row = bx * 2; }  noc_async_read(first_row)   ⟹   `first_row` is not declared
//!  get_write_ptr(x_cb)   where nothing else uses `x_cb`                ⟹   `x_cb` has no place on the device
//! ```

use super::{Proof, fault};
use crate::device::{Bits, Calls, Device, Expr, Leaf, Loop, Program};
use crate::ir::{Event, Frame, try_walk};
use crate::passes::b2_grid_to_cores::BLOCK_ID;
use tt_lang::hash::HashMap;
use tt_lang::ir::VarId;

/// Proves that `program` mentions no name that is not declared.
pub fn prove(device: &Device, program: &Program) -> Proof {
    let mut scope = Scope {
        device,
        program,
        declared: Vec::new(),
        times: HashMap::default(),
        begins: Vec::new(),
    };
    for argument in &program.args {
        scope.declare(&argument.name);
    }
    try_walk(&program.body, &mut |_, event| scope.event(event))
}

/// The names that are declared.
struct Scope<'d> {
    device: &'d Device,
    program: &'d Program,
    /// Those of inner scopes last.
    declared: Vec<&'d str>,
    /// How often each is.
    times: HashMap<&'d str, usize>,
    /// How many are declared around each scope, the innermost last.
    begins: Vec<usize>,
}

impl<'d> Scope<'d> {
    fn declare(&mut self, name: &'d str) {
        self.declared.push(name);
        *self.times.entry(name).or_default() += 1;
    }

    /// The innermost scope ends.
    fn end(&mut self) {
        let begin = self.begins.pop().unwrap_or_default();
        for name in self.declared.drain(begin..) {
            self.times.entry(name).and_modify(|times| *times -= 1);
        }
    }

    fn begin(&mut self) {
        self.begins.push(self.declared.len());
    }

    fn variable(&self, var: VarId) -> &'d str {
        self.device.variables.get(var.index()).map_or("?", String::as_str)
    }

    fn event(&mut self, event: Event<'d, Calls<Bits>>) -> Proof {
        match event {
            Event::Op(leaf) => return self.leaf(leaf),
            Event::Enter(Frame::Loop(Loop::Blocks { start, count, step })) => {
                self.mentioned(start)?;
                self.mentioned(count)?;
                self.mentioned(step)?;
                self.begin();
                self.declare(BLOCK_ID);
            }
            Event::Enter(Frame::Loop(Loop::Tiles { name, .. })) => {
                self.begin();
                self.declare(name);
            }
            Event::Enter(Frame::Loop(Loop::Over { var, start, end, .. })) => {
                self.mentioned(start)?;
                self.mentioned(end)?;
                self.begin();
                self.declare(self.variable(*var));
            }
            Event::Enter(Frame::If(branch)) => {
                self.mentioned(&branch.cond)?;
                self.begin();
            }
            Event::Enter(Frame::Group(..)) => self.begin(),
            Event::Otherwise => {
                self.end();
                self.begin();
            }
            Event::Leave(_) => self.end(),
        }
        Ok(())
    }

    fn leaf(&mut self, leaf: &'d Leaf<Bits>) -> Proof {
        match leaf {
            Leaf::Call(call) => call.args.iter().try_for_each(|arg| self.mentioned(arg)),
            Leaf::Let { name, value, .. } => {
                self.mentioned(value)?;
                self.declare(name);
                Ok(())
            }
            Leaf::Define { var, call } => {
                call.args.iter().try_for_each(|arg| self.mentioned(arg))?;
                self.declare(self.variable(*var));
                Ok(())
            }
            Leaf::Advance { name, value } => {
                self.known(name)?;
                self.mentioned(value)
            }
        }
    }

    fn mentioned(&self, expr: &Expr<Bits>) -> Proof {
        match expr {
            Expr::Name(name) => self.known(name),
            Expr::Call(call) => call.args.iter().try_for_each(|arg| self.mentioned(arg)),
            Expr::Binary(_, a, b) => {
                self.mentioned(a)?;
                self.mentioned(b)
            }
            Expr::Buffer(id) | Expr::PageBytes(id) => match self.device.buffers.get(id.0) {
                Some(buffer) if buffer.index.is_some() => Ok(()),
                Some(buffer) => fault(format!("`{}` has no place on the device", buffer.name)),
                None => fault(format!("there is no circular buffer {}", id.0)),
            },
            Expr::Accessor(tensor) => match self.program.accessors.iter().any(|of| of.tensor == *tensor) {
                true => Ok(()),
                false => fault(format!("{tensor} has no accessor here")),
            },
            Expr::Int(_) | Expr::Bool(_) | Expr::Value(_) | Expr::Text(_) => Ok(()),
        }
    }

    fn known(&self, name: &str) -> Proof {
        match self.times.get(name).is_some_and(|times| *times > 0) {
            true => Ok(()),
            false => fault(format!("`{name}` is not declared where it stands")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::verify;
    use crate::device::{Device, Leaf};
    use crate::ir::operations_mut;
    use tt_lang::ir::Kernel;

    const KERNEL: &str = "#[tt::kernel] fn moved<const M: usize, const N: usize>(
            a: &Tensor<f32, M, N>, o: &mut Tensor<f32, M, N>) {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
        for (i, j) in T.Parallel(64, 64) {
            o[(by * 64 + i, bx * 64 + j)] = a[(by * 64 + i, bx * 64 + j)] * 2.0 + (by as f32);
        }
    }";

    fn lowered() -> (Kernel, Device) {
        let function = syn::parse_str(KERNEL).expect("the kernel is Rust");
        let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
        let kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
        let whole = crate::pipeline::lowered(&kernel).expect("it is lowered");
        (kernel, whole)
    }

    #[test]
    fn a_name_that_nothing_declares_is_refused() {
        let (kernel, whole) = lowered();
        assert_eq!(verify(&kernel, &whole), Ok(()));
        for program in 0..3 {
            let mut device = whole.clone();
            operations_mut(&mut device.programs[program].body, &mut |leaf| {
                if let Leaf::Let { name, .. } = leaf {
                    name.push('s');
                }
            });
            let errors = verify(&kernel, &device).expect_err("it must not pass");
            let notes: String = errors.iter().flat_map(|error| &error.notes).cloned().collect();
            assert!(notes.contains("is not declared where it stands"), "{program}: {notes}");
        }
    }

    #[test]
    fn a_buffer_without_a_place_and_a_tensor_without_an_accessor_are_refused() {
        let (kernel, whole) = lowered();
        let says = |device: &Device| {
            let errors = verify(&kernel, device).expect_err("it must not pass");
            errors
                .iter()
                .flat_map(|error| &error.notes)
                .cloned()
                .collect::<String>()
        };
        let mut device = whole.clone();
        device.buffers.iter_mut().for_each(|buffer| buffer.index = None);
        let said = says(&device);
        assert!(said.contains("has no place on the device"), "{said}");
        let mut device = whole;
        device.programs.iter_mut().for_each(|program| program.accessors.clear());
        let said = says(&device);
        assert!(said.contains("has no accessor here"), "{said}");
    }
}
