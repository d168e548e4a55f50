//! Tensors on a device.

use crate::device::DeviceCore;
use crate::element::Element;
use crate::tile::Tiling;
use crate::{Device, Error, ErrorKind, Result, host_memory};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Once};
use tt_lang::ir::ElementType;
use tt_plan::DataFormat;

/// A tensor of `RANK` axes on a device, made by [`Device::upload`] or [`Zeros::zeros`].
///
/// It lies there in tiles of 32 × 32 over its last two axes, page by page over all DRAM banks; leading axes select
/// matrices. What fills up the last tiles is zero and never seen. Dropping it frees the device's memory.
///
/// A tensor does not keep its device open: once the last [`Device`] is dropped, or one is closed, every use is an error.
pub struct Tensor<E: Element, const RANK: usize> {
    raw: RawTensor,
    element: PhantomData<E>,
}

/// A tensor without its type.
pub(crate) struct RawTensor {
    pub(crate) core: Arc<DeviceCore>,
    pub(crate) buffer: u64,
    pub(crate) address: u32,
    pub(crate) element: ElementType,
    pub(crate) shape: Box<[usize]>,
    pub(crate) tiling: Tiling,
}

impl Drop for RawTensor {
    fn drop(&mut self) {
        self.core.release(self.buffer);
    }
}

impl RawTensor {
    fn allocate(device: &Device, element: ElementType, shape: &[usize]) -> Result<RawTensor> {
        let tiling = Tiling::of(shape)?;
        let core = device.core();
        let page_bytes = DataFormat::of(element).tile_bytes();
        let (buffer, address) = core.with(|session| session.allocate(tiling.tiles() as u64, page_bytes))?;
        Ok(RawTensor {
            core: core.clone(),
            buffer,
            address,
            element,
            shape: shape.into(),
            tiling,
        })
    }

    /// Bytes of its tiles.
    pub(crate) fn tile_bytes(&self) -> usize {
        self.tiling.tiles() * DataFormat::of(self.element).tile_bytes() as usize
    }

    /// Its elements, once everything enqueued before has run. `E` is the host type of its elements.
    pub(crate) fn download<E: Element>(&self) -> Result<Vec<E>> {
        debug_assert!(E::TYPE == self.element);
        let staging = self.core.with(|session| {
            let mut staging = session.staging.take(self.tile_bytes());
            session.read(self.buffer, staging.bytes_mut()).map(|()| staging)
        })?;
        let elements = E::unpack(&staging, self.tiling);
        self.core.keep(staging);
        Ok(elements)
    }
}

impl Device {
    /// Copies `elements`, row by row with the last axis fastest, to a new tensor with the extents `shape`.
    ///
    /// ```no_run
    /// # fn main() -> tt_host::Result<()> {
    /// let device = tt_host::Device::open()?;
    /// let tensor = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
    /// assert_eq!(tensor.shape(), [2, 3]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Where the extents do not make as many elements, one of them is zero, the device is closed or its memory is used
    /// up.
    pub fn upload<E: Element, const RANK: usize>(
        &self,
        elements: &[E],
        shape: [usize; RANK],
    ) -> Result<Tensor<E, RANK>> {
        let tiling = Tiling::of(&shape)?;
        if elements.len() != tiling.elements() {
            let (found, wanted) = (elements.len(), tiling.elements());
            let message = format!("{found} elements do not make a tensor of shape {shape:?}, which has {wanted}");
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let raw = RawTensor::allocate(self, E::TYPE, &shape)?;
        say_if_slow(raw.tile_bytes());
        let mut staging = raw.core.with(|session| Ok(session.staging.take(raw.tile_bytes())))?;
        E::pack(elements, tiling, &mut staging);
        raw.core.with(|session| session.write(raw.buffer, staging.bytes()))?;
        raw.core.keep(staging);
        Ok(Tensor {
            raw,
            element: PhantomData,
        })
    }
}

/// Says, once, that a program built without optimisation is slow, where a tensor of so many bytes lets it be felt.
fn say_if_slow(bytes: usize) {
    static SAID: Once = Once::new();
    if cfg!(tt_unoptimised) && bytes >= 16 << 20 {
        SAID.call_once(|| {
            eprintln!(
                "tt: built without optimisation, in which uploads, downloads and `.reference()` take several times as long as with \
                 `--release` (said once)"
            );
        });
    }
}

/// Making tensors of zeros; a trait so that `device.zeros::<bf16>([m, n])` names the element type alone and the rank is
/// taken from the shape.
pub trait Zeros<const RANK: usize> {
    /// A new tensor with the extents `shape`, all zero.
    ///
    /// # Errors
    /// Where an extent is zero, the device is closed or its memory is used up.
    fn zeros<E: Element>(&self, shape: [usize; RANK]) -> Result<Tensor<E, RANK>>;
}

impl<const RANK: usize> Zeros<RANK> for Device {
    fn zeros<E: Element>(&self, shape: [usize; RANK]) -> Result<Tensor<E, RANK>> {
        let raw = RawTensor::allocate(self, E::TYPE, &shape)?;
        // Zero in every element type is zero bits.
        if raw.core.zero(raw.address) {
            return Ok(Tensor {
                raw,
                element: PhantomData,
            });
        }
        let zeros = host_memory::zeroed(raw.tile_bytes());
        raw.core.with(|session| session.write(raw.buffer, zeros.bytes()))?;
        Ok(Tensor {
            raw,
            element: PhantomData,
        })
    }
}

impl<E: Element, const RANK: usize> Tensor<E, RANK> {
    /// Its elements, row by row with the last axis fastest. Waits for everything enqueued before.
    ///
    /// # Errors
    /// Where the device is closed, or something enqueued before has failed.
    pub fn download(&self) -> Result<Vec<E>> {
        self.raw.download()
    }

    /// Its extents, outermost first.
    pub fn shape(&self) -> [usize; RANK] {
        let mut shape = [0; RANK];
        shape.copy_from_slice(&self.raw.shape);
        shape
    }

    /// The type of its elements in the language.
    pub fn element_type(&self) -> ElementType {
        E::TYPE
    }

    /// The device it is on.
    ///
    /// # Errors
    /// Where that was closed or dropped.
    pub fn device(&self) -> Result<Device> {
        self.raw.core.handle()
    }

    pub(crate) fn raw(&self) -> &RawTensor {
        &self.raw
    }
}

impl<E: Element, const RANK: usize> fmt::Debug for Tensor<E, RANK> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("element", &E::TYPE.name())
            .field("shape", &self.raw.shape)
            .field("layout", &"dram, interleaved tiles of 32 × 32")
            .field("device", &self.raw.core.to_string())
            .finish()
    }
}
