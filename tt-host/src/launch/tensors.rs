//! The tensors of a launch: those that were passed, and the temporaries.

use super::workload::{ByName, OnTensor};
use super::{Bound, Launch};
use crate::bridge::MeshBuffer;
use crate::device::Session;
use crate::kernel::Kernel;
use crate::tensor::Placed;
use crate::tile::Tiling;
use crate::{Error, Result};
use cxx::SharedPtr;
use std::sync::Arc;
use tt_emulator::StoredPages;
use tt_lang::ir::ElementType;
use tt_plan::{Bank, Bindings, DeviceGrid, Memory, OnShard, Plan, Temporary};

/// A tensor of a launch, passed or temporary.
pub(super) struct LaunchTensor {
    pub(super) name: String,
    pub(super) mutable: bool,
    pub(super) buffer: u64,
    pub(super) address: u32,
    pub(super) element: ElementType,
    pub(super) shape: Box<[usize]>,
    /// Of a tensor in shards the words of its accessor, which the device does not know.
    words: Option<Vec<u32>>,
    pub(super) in_dram: bool,
    /// The page of its buffer at which it begins.
    first_page: u32,
    shards: Option<Arc<Placed>>,
}

impl LaunchTensor {
    /// Where its pages are, as the emulator of a device with this grid of cores counts banks.
    pub(super) fn stored_pages(&self, grid: DeviceGrid) -> StoredPages {
        let Some((shards, places)) = self.shards.as_deref() else {
            return StoredPages::Interleaved(self.first_page.into());
        };
        let bank = |bank: &Bank| match *bank {
            Bank::Dram(number) => number,
            Bank::L1(x, y) => y * grid.x + x,
        };
        StoredPages::Placed {
            banks: shards.banks.iter().map(bank).collect(),
            of_bank: shards.pages_of_bank(),
            places: places.clone(),
        }
    }
}

/// All tensors of a launch, and its values with their addresses.
pub(super) struct Tensors {
    pub(super) tensors: Vec<LaunchTensor>,
    pub(super) bindings: Bindings,
}

/// The tensors of a launch and their buffers.
pub(super) struct OfSession<'l> {
    pub(super) kernel: &'static Kernel,
    pub(super) tensors: &'l Tensors,
    pub(super) session: &'l Session,
}

impl ByName for OfSession<'_> {
    fn accessor_words(&self, name: &str) -> Result<Vec<u32>> {
        match self.tensors.tensors.iter().find(|tensor| tensor.name == name) {
            Some(LaunchTensor { words: Some(words), .. }) => Ok(words.clone()),
            Some(tensor) => self.session.accessor_words(tensor.buffer),
            None => Err(self
                .kernel
                .damaged(&format!("the plan accesses `{name}`, which is no tensor"))),
        }
    }

    fn buffer(&self, number: u64) -> Result<&SharedPtr<MeshBuffer>> {
        self.session.buffer(number)
    }
}

impl Tensors {
    /// The circular buffers that lie on shards, with the buffers of their tensors.
    pub(super) fn on_shards(&self, of: &[OnShard<'_>]) -> Vec<OnTensor> {
        let on = of.iter().filter_map(|on| {
            let tensor = self.tensors.iter().find(|tensor| tensor.name == on.tensor)?;
            Some(OnTensor {
                circular_buffer: on.buffer,
                pages: on.pages,
                buffer: tensor.buffer,
                address: tensor.address,
            })
        });
        on.collect()
    }

    /// The words of all tensors in shards.
    pub(super) fn words(&self) -> Vec<u32> {
        let words = self.tensors.iter().flat_map(|tensor| &tensor.words);
        words.flatten().copied().collect()
    }
}

impl Launch<'_> {
    /// The extents of the temporaries of this launch.
    pub(super) fn temporary_shapes(&self, plan: &Plan, bound: &Bound<'_>) -> Result<Vec<Box<[usize]>>> {
        let shape = |temporary: &Temporary| {
            let shape = plan
                .temporary_shape(temporary, &bound.bindings)
                .map_err(|error| self.refused(&error))?;
            // They are positive.
            Ok(shape.into_iter().map(|extent| extent as usize).collect())
        };
        plan.temporaries.iter().map(shape).collect()
    }

    /// The tensors of this launch: those that were passed, and the temporaries, with memory.
    pub(super) fn tensors(
        &self,
        session: &mut Session,
        plan: &Plan,
        bound: &Bound<'_>,
        shapes: Vec<Box<[usize]>>,
    ) -> Result<Tensors> {
        let passed = bound.tensors.iter().map(|(name, mutable, tensor)| LaunchTensor {
            name: name.clone(),
            mutable: *mutable,
            buffer: tensor.buffer.number,
            address: tensor.buffer.address,
            element: tensor.element,
            shape: tensor.shape.clone(),
            words: tensor.words(),
            in_dram: tensor.layout.of_pages(0).shard == Memory::Dram,
            first_page: tensor.first_page,
            shards: tensor.shards.clone(),
        });
        let mut tensors: Vec<LaunchTensor> = passed.collect();
        let failed = |error: Error| {
            let message = format!("the temporaries of kernel `{}`: {error}", self.kernel().name());
            Error::new(error.kind(), message)
        };
        let sizes = plan.temporaries.iter().zip(&shapes).map(|(temporary, shape)| {
            let tiles = Tiling::of(shape).map_err(failed)?.tiles();
            Ok((tiles as u64, temporary.layout.page_size))
        });
        let sizes: Vec<(u64, u32)> = sizes.collect::<Result<_>>()?;
        let memory = session
            .temporaries(std::ptr::from_ref(self.kernel()).addr(), &sizes)
            .map_err(failed)?;
        for ((temporary, shape), memory) in plan.temporaries.iter().zip(shapes).zip(memory) {
            tensors.push(LaunchTensor {
                name: temporary.name.clone(),
                mutable: true,
                buffer: memory.buffer,
                address: memory.address,
                element: temporary.element,
                shape,
                words: None,
                in_dram: true,
                first_page: 0,
                shards: None,
            });
        }
        let mut bindings = bound.bindings.clone();
        let addresses = tensors.iter().map(|tensor| (tensor.name.clone(), tensor.address));
        bindings.addresses.extend(addresses);
        Ok(Tensors { tensors, bindings })
    }
}
