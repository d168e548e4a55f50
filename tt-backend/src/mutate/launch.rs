//! What the launch gives the programs: buffers, arguments, accessors, the configuration of the engines, the grid.
//!
//! Programs and plan say most of it twice. What a pass decides wrongly is wrong in both; what only the writer of the plan
//! has wrong is wrong there alone.

use super::same::{self, Why};
use super::{Kind, Maker, Mutant};
use crate::device::Device;
use tt_lang::ir::{Fidelity, IntOp};
use tt_plan::{BlockOrder, DataFormat, Formula, Number, RuntimeValue};

/// The mutants of everything that the programs are given.
pub fn of(maker: &mut Maker) {
    buffers(maker);
    arguments(maker);
    engines(maker);
    grid(maker);
}

/// A mutant of the plan; `subject` is what it is about.
fn make(maker: &mut Maker, kind: Kind, subject: &str, detail: String, change: impl FnOnce(&mut Device)) {
    make_same(maker, kind, subject, &[], detail, None, change);
}

/// As [`make`]; `mentions` is the argument that it is about, and `same` why it changes nothing, where that shows.
fn make_same(
    maker: &mut Maker,
    kind: Kind,
    subject: &str,
    mentions: &[&str],
    detail: String,
    same: Why,
    change: impl FnOnce(&mut Device),
) {
    let mutant = Mutant {
        kind,
        program: "plan",
        subject: subject.to_string(),
        mentions: mentions.iter().map(|name| name.to_string()).collect(),
        detail,
        same,
    };
    maker.make(mutant, change);
}

fn other(format: DataFormat) -> DataFormat {
    match format {
        DataFormat::Float16B => DataFormat::Float32,
        _ => DataFormat::Float16B,
    }
}

fn buffers(maker: &mut Maker) {
    let device = maker.device;
    for (at, buffer) in device.buffers.iter().enumerate() {
        // Where the plan has it; buffers that nothing uses have no place there.
        let planned = device.plan.circular_buffers.iter();
        let Some(planned) = planned.clone().position(|known| Some(known.index) == buffer.index) else {
            continue;
        };
        let name = &buffer.name;
        let format = other(buffer.format);
        for (subject, in_programs, in_plan) in [("both", true, true), ("programs", true, false), ("plan", false, true)]
        {
            make(
                maker,
                Kind::Format,
                subject,
                format!("{name} of {format:?} in {subject}"),
                |device| {
                    if in_programs {
                        device.buffers[at].format = format;
                    }
                    if in_plan {
                        let planned = &mut device.plan.circular_buffers[planned];
                        (planned.data_format, planned.page_size) = (format, format.tile_bytes());
                    }
                },
            );
            make(maker, Kind::Unpack, subject, format!("{name} in {subject}"), |device| {
                if in_programs {
                    device.buffers[at].unpack_to_dest ^= true;
                }
                if in_plan {
                    device.plan.circular_buffers[planned].unpack_to_dest_fp32 ^= true;
                }
            });
        }
        let versions = buffer.versions.saturating_sub(1);
        make(
            maker,
            Kind::Depth,
            "both",
            format!("{name} in {versions} versions"),
            |device| {
                device.buffers[at].versions = versions;
                device.plan.circular_buffers[planned].pages = device.buffers[at].pages();
            },
        );
        for by in [-1, 1] {
            make(maker, Kind::Pages, "plan", format!("{name} {by:+}"), |device| {
                let pages = &mut device.plan.circular_buffers[planned].pages;
                *pages = pages.saturating_add_signed(by);
            });
        }
        for behind in at + 1..device.buffers.len() {
            let pair = format!("{name} and {}", device.buffers[behind].name);
            let same = same::indices(buffer, &device.buffers[behind]);
            make_same(maker, Kind::Index, "programs", &[], pair, same, |device| {
                let (own, other) = (device.buffers[at].index, device.buffers[behind].index);
                (device.buffers[at].index, device.buffers[behind].index) = (other, own);
            });
        }
    }
}

fn arguments(maker: &mut Maker) {
    let device = maker.device;
    for (at, program) in device.programs.iter().enumerate() {
        let role = program.role.name();
        for (number, argument) in program.args.iter().enumerate() {
            for (note, value) in values(device, at, &argument.value) {
                make_same(
                    maker,
                    Kind::Value,
                    role,
                    &[&argument.name],
                    format!("{role}: {} → {note}", argument.name),
                    same::argument(program, argument),
                    |device| {
                        if let Some(planned) = device
                            .plan
                            .kernels
                            .iter_mut()
                            .find(|kernel| kernel.role == program.role)
                        {
                            planned.runtime_args[number].value = value.clone();
                        }
                        device.programs[at].args[number].value = value;
                    },
                );
            }
            if let Some(next) = program.args.get(number + 1) {
                let pair = format!("{role}: {} and {}", argument.name, next.name);
                make(maker, Kind::Order, role, pair, |device| {
                    if let Some(planned) = device
                        .plan
                        .kernels
                        .iter_mut()
                        .find(|kernel| kernel.role == program.role)
                    {
                        planned.runtime_args.swap(number, number + 1);
                    }
                });
            }
        }
        for number in 1..program.accessors.len() {
            let pair = format!(
                "{role}: {} and {}",
                program.accessors[number - 1].name,
                program.accessors[number].name
            );
            make(maker, Kind::Bindings, role, format!("{pair} in the plan"), |device| {
                if let Some(planned) = device
                    .plan
                    .kernels
                    .iter_mut()
                    .find(|kernel| kernel.role == program.role)
                {
                    planned.compile_args.swap(number - 1, number);
                }
            });
            make(
                maker,
                Kind::Bindings,
                role,
                format!("{pair} in the program"),
                |device| {
                    device.programs[at].accessors.swap(number - 1, number);
                },
            );
            make(maker, Kind::Bindings, role, format!("addresses of {pair}"), |device| {
                let accessors = &mut device.programs[at].accessors;
                let address = accessors[number].address.clone();
                accessors[number].address = std::mem::replace(&mut accessors[number - 1].address, address);
            });
        }
    }
}

/// What a runtime argument of program `at` might be instead: a formula one off, and what the next of its sort is.
fn values(device: &Device, at: usize, own: &RuntimeValue) -> Vec<(String, RuntimeValue)> {
    let mut out = Vec::new();
    match own {
        RuntimeValue::Formula(formula) => {
            for by in [1, -1] {
                let formula = Formula::binary(IntOp::Add, formula.clone(), Formula::Const(by));
                out.push((format!("{by:+}"), RuntimeValue::Formula(formula)));
            }
        }
        RuntimeValue::Number(_) => {
            out.push(("1".to_string(), RuntimeValue::Number(Number::Bits(1.0_f32.to_bits()))));
        }
        RuntimeValue::Flag { op, a, b } => {
            let (op, a, b) = (*op, b.clone(), a.clone());
            out.push(("sides exchanged".to_string(), RuntimeValue::Flag { op, a, b }));
        }
        RuntimeValue::StartId
        | RuntimeValue::Count
        | RuntimeValue::Step
        | RuntimeValue::RunLength
        | RuntimeValue::RunPitch
        | RuntimeValue::Address(_)
        | RuntimeValue::FirstPage(_)
        | RuntimeValue::Place(_)
        | RuntimeValue::Cores(_)
        | RuntimeValue::Every(_)
        | RuntimeValue::Sender(_)
        | RuntimeValue::Noc { .. } => {}
    }
    let sort = |value: &RuntimeValue| match value {
        RuntimeValue::StartId
        | RuntimeValue::Count
        | RuntimeValue::Step
        | RuntimeValue::RunLength
        | RuntimeValue::RunPitch => 0,
        RuntimeValue::Formula(_) => 1,
        RuntimeValue::Number(_) => 2,
        RuntimeValue::Flag { .. } => 3,
        RuntimeValue::Address(_) => 4,
        RuntimeValue::Place(_) | RuntimeValue::Cores(_) | RuntimeValue::Every(_) | RuntimeValue::Sender(_) => 5,
        RuntimeValue::Noc { .. } => 6,
        RuntimeValue::FirstPage(_) => 7,
    };
    let args = &device.programs[at].args;
    let from = args
        .iter()
        .position(|argument| argument.value == *own)
        .unwrap_or_default();
    let mut others = args[from..].iter().chain(&args[..from]);
    if let Some(next) = others.find(|other| other.value != *own && sort(&other.value) == sort(own)) {
        out.push((next.name.clone(), next.value.clone()));
    }
    out
}

fn engines(maker: &mut Maker) {
    let own = maker.device.plan.compute;
    let fidelities = [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4];
    for fidelity in fidelities.into_iter().filter(|other| *other != own.math_fidelity) {
        make_same(
            maker,
            Kind::Engine,
            "math_fidelity",
            &[],
            format!("{fidelity:?}"),
            same::fidelity(maker.device),
            |device| {
                device.plan.compute.math_fidelity = fidelity;
            },
        );
    }
    make(
        maker,
        Kind::Engine,
        "fp32_dest_acc_en",
        "fp32_dest_acc_en".into(),
        |device| {
            device.plan.compute.fp32_dest_acc_en ^= true;
        },
    );
    make(
        maker,
        Kind::Engine,
        "dst_full_sync_en",
        "dst_full_sync_en".into(),
        |device| {
            device.plan.compute.dst_full_sync_en ^= true;
        },
    );
    make(
        maker,
        Kind::Engine,
        "math_approx_mode",
        "math_approx_mode".into(),
        |device| {
            device.plan.compute.math_approx_mode ^= true;
        },
    );
}

fn grid(maker: &mut Maker) {
    let grid = &maker.device.plan.grid;
    for (axis, extent) in grid.iter().enumerate() {
        for by in [1, -1] {
            let extent = Formula::binary(IntOp::Add, extent.clone(), Formula::Const(by));
            make(maker, Kind::Grid, "extent", format!("axis {axis} {by:+}"), |device| {
                device.plan.grid[axis] = extent;
            });
        }
    }
    for axis in 1..grid.len() {
        make(
            maker,
            Kind::Grid,
            "axes",
            format!("axes {} and {axis}", axis - 1),
            |device| {
                device.plan.grid.swap(axis - 1, axis);
            },
        );
    }
    let orders = [BlockOrder::RowMajor, BlockOrder::ColumnMajor];
    for order in orders
        .into_iter()
        .filter(|other| *other != maker.device.plan.work_partition.order)
    {
        make(maker, Kind::Grid, "order", format!("{order:?}"), |device| {
            device.plan.work_partition.order = order;
        });
    }
}
