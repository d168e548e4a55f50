//! Engines and destination registers: on every path, what an operation needs has been set up before it.
//!
//! Derived from the emitted calls alone, by the rules of metalium.md §2.2–2.3 and patterns.md §0: startup first and once;
//! acquire, commit, wait, release in turn; FPU and SFPU within acquire and commit, packs within wait and release; formats
//! of both unpackers and the packer; the FPU's last init and the SFPU's last init; no SFPU operation on a register that
//! nothing wrote since acquire. The SFPU is math's or the packer's in the whole program: both threads run at once, and it has one set
//! of registers.

use super::event::{Accumulation, Event, FpuSetup, RegisterStep, Thread, Unpacked};
use super::range::Range;
use super::{Proof, fault};
use crate::device::Template;
use crate::device::function::UNARY_BCAST_INIT;
use crate::flow::{Buffer, BufferId};
use crate::target;
use tt_plan::{ComputeConfig, DataFormat};

/// Where the destination registers are in their protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registers {
    Free,
    Acquired,
    Committed,
    /// The packer's thread may ask for the SFPU.
    Held,
    Waited,
}

/// What is known of the engines; `None` is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engines {
    capacity: i64,
    started: bool,
    src_a: Option<Unpacked>,
    src_b: Option<Unpacked>,
    pack: Option<DataFormat>,
    fpu: Option<FpuSetup>,
    sfpu: Option<(&'static str, Template)>,
    /// Whose the SFPU is, once anyone has asked for it.
    sfpu_of: Option<Thread>,
    accumulation: Option<Accumulation>,
    relu: Option<bool>,
    registers: Registers,
    /// The registers that are written, a bit each.
    written: u64,
}

fn both<T: PartialEq + Clone>(a: &Option<T>, b: &Option<T>) -> Option<T> {
    if a == b { a.clone() } else { None }
}

/// Takes the SFPU for a thread.
fn claim(sfpu_of: &mut Option<Thread>, by: Thread) -> Proof {
    match sfpu_of.replace(by) {
        Some(other) if other != by => {
            fault("math and the packer's thread both use the SFPU, which they would at the same time")
        }
        Some(_) | None => Ok(()),
    }
}

/// The bits of registers, of which there are at most 16.
fn bits(registers: Range) -> u64 {
    match registers.high - registers.low {
        ..0 => 0,
        more => (u64::MAX >> (63 - more)) << registers.low,
    }
}

impl Engines {
    /// Before the first statement.
    pub fn new(config: &ComputeConfig) -> Engines {
        let tiles = i64::from(target::least(|target| target.dst_half_tiles));
        let tiles = if config.dst_full_sync_en { tiles * 2 } else { tiles };
        Engines {
            capacity: if config.fp32_dest_acc_en { tiles / 2 } else { tiles },
            started: false,
            src_a: None,
            src_b: None,
            pack: None,
            fpu: None,
            sfpu: None,
            sfpu_of: None,
            accumulation: Some(Accumulation::Off),
            relu: Some(false),
            registers: Registers::Free,
            written: 0,
        }
    }

    /// Whether the packer adds.
    pub fn accumulation(&self) -> Option<Accumulation> {
        self.accumulation
    }

    /// What holds where either may be the case.
    pub fn join(&self, other: &Engines) -> Proof<Engines> {
        if self.registers != other.registers {
            return fault(format!(
                "destination registers are {:?} on one path and {:?} on another",
                self.registers, other.registers
            ));
        }
        if self.started != other.started {
            return fault("the engines are started on one path only");
        }
        let mut sfpu_of = self.sfpu_of;
        if let Some(by) = other.sfpu_of {
            claim(&mut sfpu_of, by)?;
        }
        Ok(Engines {
            src_a: both(&self.src_a, &other.src_a),
            src_b: both(&self.src_b, &other.src_b),
            pack: both(&self.pack, &other.pack),
            fpu: both(&self.fpu, &other.fpu),
            sfpu: both(&self.sfpu, &other.sfpu),
            sfpu_of,
            accumulation: both(&self.accumulation, &other.accumulation),
            relu: both(&self.relu, &other.relu),
            written: self.written & other.written,
            ..self.clone()
        })
    }

    /// After the last statement.
    pub fn end(&self) -> Proof {
        if self.registers == Registers::Free {
            Ok(())
        } else {
            fault("destination registers are held to the end")
        }
    }

    /// After a call.
    pub fn step(&mut self, event: &Event, buffers: &[Buffer]) -> Proof {
        let unpacked = |id: BufferId| (buffers[id.0].format, buffers[id.0].unpack_to_dest);
        match event {
            Event::Cb(..)
            | Event::Read(_)
            | Event::Write(_)
            | Event::WriteElements(..)
            | Event::ReadBarrier
            | Event::WritesFlushed
            | Event::WriteBarrier
            | Event::MakePage(_)
            | Event::Fetch(_)
            | Event::PutInteger(_)
            | Event::Expect(_)
            | Event::Send(..)
            | Event::Receive(_)
            | Event::AtomicBarrier
            | Event::Shift(..)
            | Event::Take(..)
            | Event::ZeroEdge(_)
            | Event::Look(_)
            | Event::Remark => return Ok(()),
            Event::Startup(a, b, out) => {
                if self.started {
                    return fault("the engines are started twice");
                }
                self.started = true;
                self.src_a = Some(unpacked(*a));
                self.src_b = Some(unpacked(*b));
                self.pack = Some(buffers[out.0].format);
                return Ok(());
            }
            _ if !self.started => return fault("the engines are not started yet"),
            Event::Unpack(a, b) => {
                self.src_a = a.map(unpacked).or(self.src_a);
                self.src_b = b.map(unpacked).or(self.src_b);
            }
            Event::PackFormat(out) => self.pack = Some(buffers[out.0].format),
            Event::Accumulate(accumulation) => self.accumulation = Some(*accumulation),
            Event::Relu(relu) => self.relu = Some(*relu),
            Event::FpuInit(setup) => {
                if let Some(known) = &self.fpu
                    && known.init == UNARY_BCAST_INIT.name
                    && known != setup
                {
                    return fault(format!("{known:?} is left without its uninit"));
                }
                self.fpu = Some(setup.clone());
            }
            Event::FpuUninit(setup) => {
                let known = self.fpu.take();
                if known.as_ref() != Some(setup) {
                    return fault(format!("it ends {setup:?}, the engines are set up for {known:?}"));
                }
            }
            Event::SfpuInit(init, template, by) => {
                claim(&mut self.sfpu_of, *by)?;
                self.sfpu = Some((init, template.clone()));
            }
            Event::Registers(step) => self.register_step(*step)?,
            Event::Fpu {
                setup,
                src_a,
                src_b,
                pages,
                operand,
                registers,
            } => {
                self.within(Registers::Acquired)?;
                if self.fpu.as_ref() != Some(setup) {
                    return fault(format!("it needs {setup:?}, the engines are set up for {:?}", self.fpu));
                }
                for (name, wanted, known) in [("SrcA", src_a, self.src_a), ("SrcB", src_b, self.src_b)] {
                    if let Some(wanted) = wanted.map(unpacked)
                        && known != Some(wanted)
                    {
                        return fault(format!("{name} must take {wanted:?}, and is set to {known:?}"));
                    }
                }
                // Only copies and transpositions can bypass SrcA and SrcB.
                if (src_a.is_none() || src_b.is_some()) && pages.iter().any(|(id, _)| buffers[id.0].unpack_to_dest) {
                    return fault("the FPU reads a buffer that is unpacked straight to the destination registers");
                }
                if let Some(operand) = operand {
                    self.holds(*operand)?;
                }
                self.write(*registers)?;
            }
            Event::Sfpu {
                by,
                init,
                template,
                operands,
                register,
            } => {
                claim(&mut self.sfpu_of, *by)?;
                self.within(match by {
                    Thread::Math => Registers::Acquired,
                    Thread::Packer => Registers::Held,
                })?;
                let is_set_up = self
                    .sfpu
                    .as_ref()
                    .is_some_and(|(known, with)| known == init && with == template);
                if !is_set_up {
                    return fault(format!(
                        "it needs {init}{template}, the SFPU is set up for {:?}",
                        self.sfpu
                    ));
                }
                for operand in operands {
                    self.holds(*operand)?;
                }
                self.write(*register)?;
            }
            Event::Pack(register, id, _) => {
                self.within(Registers::Waited)?;
                self.in_bounds(*register)?;
                let wanted = buffers[id.0].format;
                if self.pack != Some(wanted) {
                    return fault(format!(
                        "the packer must give {wanted:?}, and is set to {:?}",
                        self.pack
                    ));
                }
                match (self.relu, self.accumulation) {
                    (None, _) => return fault("whether the packer cuts at zero depends on the way here"),
                    (Some(true), Some(Accumulation::Off)) | (Some(false), _) => {}
                    (Some(true), _) => return fault("the packer cuts what it adds at zero"),
                }
            }
        }
        Ok(())
    }

    fn register_step(&mut self, step: RegisterStep) -> Proof {
        let (from, to) = match step {
            RegisterStep::Acquire => (Registers::Free, Registers::Acquired),
            RegisterStep::Commit => (Registers::Acquired, Registers::Committed),
            RegisterStep::Wait => (Registers::Committed, Registers::Waited),
            RegisterStep::Hold => (Registers::Committed, Registers::Held),
            RegisterStep::Settle => (Registers::Held, Registers::Waited),
            RegisterStep::Release => (Registers::Waited, Registers::Free),
        };
        self.within(from)?;
        self.registers = to;
        if to == Registers::Free {
            self.written = 0;
        }
        Ok(())
    }

    fn within(&self, wanted: Registers) -> Proof {
        if self.registers == wanted {
            return Ok(());
        }
        fault(format!(
            "destination registers must be {wanted:?}, and are {:?}",
            self.registers
        ))
    }

    fn in_bounds(&self, registers: Range) -> Proof {
        if registers.low >= 0 && registers.high < self.capacity {
            return Ok(());
        }
        fault(format!("registers {registers:?} of {}", self.capacity))
    }

    fn holds(&self, register: Range) -> Proof {
        self.in_bounds(register)?;
        let bits = bits(register);
        if self.written & bits == bits {
            return Ok(());
        }
        fault(format!(
            "register {register:?} is not written on every path since acquire"
        ))
    }

    /// Registers `registers` are written, all of them: a block product, or one register.
    fn write(&mut self, registers: Range) -> Proof {
        self.in_bounds(registers)?;
        self.written |= bits(registers);
        Ok(())
    }
}
