//! A kernel as the JIT knows it: its source, its arguments, and what the program around it says of buffers and modes.

use super::DeviceError;
use tt_backend::Artifact;
use tt_lang::ir::Fidelity;
use tt_plan::{DataFormat, Plan, Role};

/// A kernel to be compiled for a device.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceKernel {
    /// What it is called in messages.
    pub name: String,
    /// Which processors run it.
    pub role: Role,
    /// Its source file as the compiler finds it: an absolute path, or one relative to an include folder.
    pub file: String,
    /// Its text.
    pub source: String,
    /// Compile-time arguments by position.
    pub compile_args: Vec<u32>,
    /// Compile-time arguments by name.
    pub named_args: Vec<(String, u32)>,
    /// Preprocessor defines.
    pub defines: Vec<(String, String)>,
    /// The circular buffers of the program.
    pub buffers: Vec<Buffer>,
    /// How it computes.
    pub modes: Modes,
}

/// A circular buffer as a kernel sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Its index.
    pub index: u8,
    /// Its format in L1.
    pub format: DataFormat,
    /// Unpacked straight into 32-bit destination registers.
    pub unpack_to_dest: bool,
}

/// The modes of a compute kernel that the sources of the device depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    /// How many passes the multiplier makes; none for kernels that do not compute.
    pub fidelity: Option<Fidelity>,
    /// Approximate SFPU functions.
    pub approximate: bool,
    /// 32-bit destination registers.
    pub fp32_dest: bool,
    /// One destination section instead of two.
    pub full_sync: bool,
}

impl Modes {
    /// What the runtime writes for readers and writers.
    pub const DATA_MOVEMENT: Modes = Modes {
        fidelity: None,
        approximate: true,
        fp32_dest: false,
        full_sync: false,
    };
}

impl DeviceKernel {
    /// The kernels of what was emitted for a function, three for every stage: formats, modes and arguments from its plan.
    ///
    /// # Errors
    /// Where the plan cannot be read or lacks a kernel.
    pub fn of_artifact(path: &str, artifact: &Artifact) -> Result<Vec<DeviceKernel>, DeviceError> {
        let plan = Plan::from_json(&artifact.plan).map_err(|error| DeviceError::Plan(format!("`{path}`: {error}")))?;
        let mut kernels = Vec::new();
        for (number, (stage, plan)) in artifact.sources().into_iter().zip(plan.stages()).enumerate() {
            let path = match number {
                0 => path.to_string(),
                later => format!("{path} stage {}", later + 1),
            };
            kernels.extend(DeviceKernel::of_stage(&path, stage, &plan)?);
        }
        Ok(kernels)
    }

    fn of_stage(path: &str, sources: [(Role, String, &str); 3], plan: &Plan) -> Result<Vec<DeviceKernel>, DeviceError> {
        let buffers: Vec<Buffer> = plan
            .circular_buffers
            .iter()
            .map(|buffer| Buffer {
                index: buffer.index,
                format: buffer.data_format,
                unpack_to_dest: buffer.unpack_to_dest_fp32,
            })
            .collect();
        let mut kernels = Vec::new();
        for (role, file, text) in sources {
            let name = format!("{path} {}", role.name());
            let compute = Modes {
                fidelity: Some(plan.compute.math_fidelity),
                approximate: plan.compute.math_approx_mode,
                fp32_dest: plan.compute.fp32_dest_acc_en,
                full_sync: plan.compute.dst_full_sync_en,
            };
            kernels.push(DeviceKernel {
                role,
                file,
                source: text.to_string(),
                compile_args: plan
                    .compile_args(role)
                    .ok_or_else(|| DeviceError::Plan(format!("`{name}` accesses what is no tensor")))?,
                named_args: Vec::new(),
                defines: Vec::new(),
                buffers: buffers.clone(),
                modes: if role == Role::Compute {
                    compute
                } else {
                    Modes::DATA_MOVEMENT
                },
                name,
            });
        }
        Ok(kernels)
    }
}
