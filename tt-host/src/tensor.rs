//! Tensors on a device.

use crate::bridge::Memory;
use crate::device::{DeviceCore, Pages};
use crate::element::{Element, Float};
use crate::host_memory::StagingBuffer;
use crate::tile::{Piece, TILE, Tiling};
use crate::{Device, Error, ErrorKind, Layout, Result, host_memory};
use rayon::prelude::*;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Once};
use tt_lang::ir::{ElementType, Sharding};
use tt_plan::{DataFormat, Shards};

/// A tensor of `RANK` axes on a device, made by [`Device::upload`] or [`Zeros::zeros`].
///
/// It lies there in tiles of 32 × 32 over its last two axes, a page each, which go to the banks of a memory as its [`Layout`] says;
/// leading axes select matrices. What fills up the last tiles is zero and never seen. Dropping it frees the device's memory.
///
/// A tensor does not keep its device open: once the last [`Device`] is dropped, or one is closed, every use is an error.
pub struct Tensor<E: Element, const RANK: usize> {
    raw: RawTensor,
    element: PhantomData<E>,
}

/// A tensor without its type.
pub(crate) struct RawTensor {
    pub(crate) core: Arc<DeviceCore>,
    pub(crate) buffer: Arc<Buffer>,
    /// The page of its buffer at which it begins; not 0 of a view.
    pub(crate) first_page: u32,
    pub(crate) element: ElementType,
    pub(crate) shape: Box<[usize]>,
    pub(crate) tiling: Tiling,
    pub(crate) layout: Layout,
    /// Of a tensor in shards how it is cut, and where its pages are in its buffer.
    pub(crate) shards: Option<Arc<Placed>>,
}

/// How a tensor is cut into shards, and the places of its pages, counted bank by bank.
pub(crate) type Placed = (Shards, Vec<usize>);

/// Memory of a device, given back when the last tensor in it is dropped.
pub(crate) struct Buffer {
    core: Arc<DeviceCore>,
    pub(crate) number: u64,
    pub(crate) address: u32,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.core.release(self.number);
    }
}

/// The most bytes of pages that are moved at a time: what is tilized is still in the host's caches when it is copied to the device.
const PIECE_BYTES: usize = 8 << 20;

impl RawTensor {
    fn allocate(device: &Device, layout: &Layout, element: ElementType, shape: &[usize]) -> Result<RawTensor> {
        let tiling = Tiling::of(shape)?;
        let core = device.core();
        let shards = shards(core, layout, element, shape)?;
        let pages = match shards.as_deref() {
            Some((shards, _)) => Pages::InBanks(shards),
            None => Pages::Interleaved(tiling.tiles() as u64),
        };
        let memory = match layout.of_pages(0).shard {
            tt_plan::Memory::Dram => Memory::Dram,
            tt_plan::Memory::L1 => Memory::L1,
        };
        let page_bytes = DataFormat::of(element).tile_bytes();
        let (number, address) = core.with(|session| session.allocate_in(memory, pages, page_bytes))?;
        let buffer = Buffer {
            core: core.clone(),
            number,
            address,
        };
        Ok(RawTensor {
            core: core.clone(),
            buffer: Arc::new(buffer),
            first_page: 0,
            element,
            shape: shape.into(),
            tiling,
            layout: layout.clone(),
            shards,
        })
    }

    /// The compile-time words of its accessor; `None` where the device knows them.
    pub(crate) fn words(&self) -> Option<Vec<u32>> {
        let (shards, _) = self.shards.as_deref()?;
        let facts = self.core.facts();
        let noc = |x: u32, y: u32| {
            // Shards lie on cores of the grid.
            let at = 2 * (y * facts.columns + x) as usize;
            facts.noc.get(at..at + 2).map_or([0; 2], |place| [place[0], place[1]])
        };
        let layout = self.layout.of_pages(DataFormat::of(self.element).tile_bytes());
        Some(layout.words(Some(shards), &noc))
    }

    /// Bytes of its tiles.
    pub(crate) fn tile_bytes(&self) -> usize {
        self.tiling.tiles() * DataFormat::of(self.element).tile_bytes() as usize
    }

    /// Writes its elements, as many as it has, after everything enqueued before.
    fn write<E: Element>(&self, elements: &[E]) -> Result<()> {
        for piece in self.pieces() {
            let bytes = piece.tiling.tiles() * self.page_bytes();
            let mut staging = self.core.with(|session| Ok(session.staging.take(bytes)))?;
            E::pack(&elements[piece.elements()], piece.tiling, &mut staging);
            self.write_pages(piece.first_tile, staging.bytes())?;
            self.core.keep(staging);
        }
        Ok(())
    }

    /// What of it is moved at a time: all of what lies in shards.
    fn pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        let tiles = match self.shards {
            None => (PIECE_BYTES / self.page_bytes()).max(1),
            Some(_) => usize::MAX,
        };
        self.tiling.pieces(tiles)
    }

    fn page_bytes(&self) -> usize {
        DataFormat::of(self.element).tile_bytes() as usize
    }

    /// Whether some page is both its own and the other's.
    pub(crate) fn overlaps(&self, other: &RawTensor) -> bool {
        let pages = |of: &RawTensor| of.first_page as usize..of.first_page as usize + of.tiling.tiles();
        let (own, others) = (pages(self), pages(other));
        Arc::ptr_eq(&self.buffer, &other.buffer) && own.start < others.end && others.start < own.end
    }

    /// Where a tile of it begins in its buffer.
    fn place(&self, tile: usize) -> usize {
        (self.first_page as usize + tile) * self.page_bytes()
    }

    /// Writes some of its pages from a tile on, row by row; of what lies in shards all.
    fn write_pages(&self, first_tile: usize, bytes: &[u8]) -> Result<()> {
        let page = self.page_bytes();
        let Some((shards, places)) = self.shards.as_deref() else {
            return self
                .core
                .with(|session| session.write(self.buffer.number, self.place(first_tile), bytes));
        };
        let mut placed = host_memory::zeroed(shards.pages() * page);
        let into = placed.bytes_mut();
        for (from, at) in bytes.chunks_exact(page).zip(places) {
            into[at * page..(at + 1) * page].copy_from_slice(from);
        }
        self.core
            .with(|session| session.write(self.buffer.number, 0, placed.bytes()))
    }

    /// Its elements, once everything enqueued before has run. `E` is the host type of its elements.
    pub(crate) fn download<E: Element>(&self) -> Result<Vec<E>> {
        debug_assert!(E::TYPE == self.element);
        let mut elements = Vec::with_capacity(self.tiling.elements());
        host_memory::advise_huge_pages(elements.spare_capacity_mut());
        for piece in self.pieces() {
            let staging = self.pages(piece)?;
            E::unpack_onto(&staging, piece.tiling, &mut elements);
            self.core.keep(staging);
        }
        Ok(elements)
    }

    /// Pages of it, once everything enqueued before has run.
    fn pages(&self, piece: Piece) -> Result<StagingBuffer> {
        self.core.with(|session| {
            let page = self.page_bytes();
            let mut staging = session.staging.take(piece.tiling.tiles() * page);
            let Some((shards, places)) = self.shards.as_deref() else {
                session.read(self.buffer.number, self.place(piece.first_tile), staging.bytes_mut())?;
                return Ok(staging);
            };
            let mut placed = host_memory::zeroed(shards.pages() * page);
            session.read(self.buffer.number, 0, placed.bytes_mut())?;
            let from = placed.bytes();
            for (into, at) in staging.bytes_mut().chunks_exact_mut(page).zip(places) {
                into.copy_from_slice(&from[at * page..(at + 1) * page]);
            }
            Ok(staging)
        })
    }
}

/// How a tensor is cut into shards and where their pages are; `None` where it is interleaved.
fn shards(core: &DeviceCore, layout: &Layout, element: ElementType, shape: &[usize]) -> Result<Option<Arc<Placed>>> {
    let of_pages = layout.of_pages(DataFormat::of(element).tile_bytes());
    if let Sharding::Nd { grid, .. } = &of_pages.sharding
        && grid.len() != shape.len()
    {
        let message = format!(
            "a tensor of shape {shape:?} does not have the {} axes of `{layout}`",
            grid.len()
        );
        return Err(Error::new(ErrorKind::Shape, message));
    }
    let shards = of_pages.shards(shape, core.banks()).map_err(|what| {
        let message = format!("a tensor of shape {shape:?} cannot lie on {core} as `{layout}`: {what}");
        Error::new(ErrorKind::Shape, message)
    })?;
    Ok(shards.map(|shards| {
        let places = shards.places();
        Arc::new((shards, places))
    }))
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
        self.upload_in(&Layout::default(), elements, shape)
    }

    /// As [`upload`](Device::upload), to where `layout` says.
    ///
    /// # Errors
    /// Those too, and where the device has too few cores for the layout's shards, or the tensor takes more shards than it has.
    pub fn upload_in<E: Element, const RANK: usize>(
        &self,
        layout: &Layout,
        elements: &[E],
        shape: [usize; RANK],
    ) -> Result<Tensor<E, RANK>> {
        let tiling = Tiling::of(&shape)?;
        as_many(elements.len(), tiling, &shape)?;
        let raw = RawTensor::allocate(self, layout, E::TYPE, &shape)?;
        say_if_slow(raw.tile_bytes());
        raw.write(elements)?;
        Ok(Tensor {
            raw,
            element: PhantomData,
        })
    }
}

impl Device {
    /// As [`upload_in`](Device::upload_in), as a view: behind as many tiles along its first axis, or matrices, which hold something else.
    /// For checks; `behind` is 0 of a tensor in shards.
    #[doc(hidden)]
    pub fn upload_behind<E: Element, const RANK: usize>(
        &self,
        (layout, behind): (&Layout, usize),
        elements: &[E],
        shape: [usize; RANK],
    ) -> Result<Tensor<E, RANK>> {
        if behind == 0 {
            return self.upload_in(layout, elements, shape);
        }
        let before = behind * if RANK > 2 { 1 } else { TILE };
        let mut whole = shape;
        whole[0] += before;
        let others = elements.iter().rev().cycle().take(before * (elements.len() / shape[0]));
        let all: Vec<E> = others.chain(elements).copied().collect();
        self.upload_in(layout, &all, whole)?.slice(before..before + shape[0])
    }
}

/// That so many elements make a tensor of this shape.
fn as_many(found: usize, tiling: Tiling, shape: &[usize]) -> Result<()> {
    let wanted = tiling.elements();
    if found == wanted {
        return Ok(());
    }
    let message = format!("{found} elements do not make a tensor of shape {shape:?}, which has {wanted}");
    Err(Error::new(ErrorKind::Shape, message))
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

    /// As [`zeros`](Zeros::zeros), where `layout` says.
    ///
    /// # Errors
    /// Those too, and as [`Device::upload_in`].
    fn zeros_in<E: Element>(&self, layout: &Layout, shape: [usize; RANK]) -> Result<Tensor<E, RANK>>;
}

impl<const RANK: usize> Zeros<RANK> for Device {
    fn zeros<E: Element>(&self, shape: [usize; RANK]) -> Result<Tensor<E, RANK>> {
        self.zeros_in(&Layout::default(), shape)
    }

    fn zeros_in<E: Element>(&self, layout: &Layout, shape: [usize; RANK]) -> Result<Tensor<E, RANK>> {
        let raw = RawTensor::allocate(self, layout, E::TYPE, &shape)?;
        // Zero in every element type is zero bits. What lies in L1 has addresses of its own.
        if *layout == Layout::dram() && raw.core.zero(raw.buffer.address) {
            return Ok(Tensor {
                raw,
                element: PhantomData,
            });
        }
        let zeros = host_memory::zeroed(raw.tile_bytes());
        raw.write_pages(0, zeros.bytes())?;
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

    /// As [`download`](Tensor::download), over what `elements` holds.
    ///
    /// # Errors
    /// Those too, and where the tensor has more or fewer elements.
    pub fn download_into(&self, elements: &mut [E]) -> Result<()> {
        as_many(elements.len(), self.raw.tiling, &self.raw.shape)?;
        for piece in self.raw.pieces() {
            let staging = self.raw.pages(piece)?;
            E::unpack_into(&staging, piece.tiling, &mut elements[piece.elements()]);
            self.raw.core.keep(staging);
        }
        Ok(())
    }

    /// Writes `elements`, row by row with the last axis fastest, over what it holds. What was enqueued before sees what was there.
    ///
    /// # Errors
    /// Where the tensor has more or fewer elements, or the device is closed.
    pub fn write(&mut self, elements: &[E]) -> Result<()> {
        as_many(elements.len(), self.raw.tiling, &self.raw.shape)?;
        self.raw.write(elements)
    }

    /// The same tensor with other extents, `[batch, rows, columns]` as `[batch * rows, columns]`: nothing is moved, so that its tiles
    /// must lie as they do. The last axis stays, and so does the one before, unless it is a multiple of 32 in both.
    ///
    /// ```no_run
    /// # fn main() -> tt_host::Result<()> {
    /// let device = tt_host::Device::open()?;
    /// let heads = device.upload(&[0.0f32; 4 * 64 * 10], [4, 64, 10])?;
    /// assert_eq!(heads.reshape([256, 10])?.shape(), [256, 10]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Where the extents do not make as many elements, or tiles would have to lie otherwise.
    pub fn reshape<const NEW: usize>(self, shape: [usize; NEW]) -> Result<Tensor<E, NEW>> {
        let (old, new) = (self.raw.tiling, Tiling::of(&shape)?);
        as_many(old.elements(), new, &shape)?;
        let stays = old.rows == new.rows || (old.rows.is_multiple_of(TILE) && new.rows.is_multiple_of(TILE));
        if old.columns != new.columns || !stays {
            let message = format!(
                "a tensor of shape {:?} is none of shape {shape:?} without moving its tiles: the last axis stays, and so does the one \
                 before, unless it is a multiple of {TILE} in both",
                self.raw.shape
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let cut = shards(&self.raw.core, &self.raw.layout, E::TYPE, &shape)?;
        let places = |shards: &Option<Arc<Placed>>| shards.as_deref().map(|(_, places)| places.clone());
        if places(&cut) != places(&self.raw.shards) {
            let message = format!(
                "a tensor of shape {:?} is none of shape {shape:?} without moving its tiles, as it lies in `{}`",
                self.raw.shape, self.raw.layout
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let mut raw = self.raw;
        raw.shape = shape.into();
        raw.tiling = new;
        raw.shards = cut;
        Ok(Tensor {
            raw,
            element: PhantomData,
        })
    }

    /// A part of it along its first axis, which is a tensor too and shares its memory: nothing is moved, and what is stored to one is seen
    /// in the other. Of a matrix, rows; they begin and end with its tiles. The memory is given back with the last tensor in it.
    ///
    /// What a view moves to or from the host goes through the whole of the memory.
    ///
    /// ```no_run
    /// # fn main() -> tt_host::Result<()> {
    /// let device = tt_host::Device::open()?;
    /// let batch = device.upload(&[0.0f32; 4 * 64 * 10], [4, 64, 10])?;
    /// assert_eq!(batch.slice(1..3)?.shape(), [2, 64, 10]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Where the range is empty or reaches past the axis, rows of a matrix begin or end within tiles of 32 other than its last, or the
    /// tensor lies in shards.
    pub fn slice(&self, range: Range<usize>) -> Result<Tensor<E, RANK>> {
        let mut shape = self.shape();
        shape[0] = range.len();
        self.part(range, shape)
    }

    /// The part along its first axis, with this shape.
    fn part<const NEW: usize>(&self, range: Range<usize>, shape: [usize; NEW]) -> Result<Tensor<E, NEW>> {
        let RawTensor {
            core,
            buffer,
            first_page,
            element,
            shape: own,
            tiling,
            layout,
            shards,
        } = &self.raw;
        let refused = |why: fmt::Arguments| {
            let Range { start, end } = &range;
            let message =
                format!("a tensor of shape {own:?} has no view of {start}..{end} along its first axis: {why}");
            Err(Error::new(ErrorKind::Shape, message))
        };
        let extent = own[0];
        if range.is_empty() || range.end > extent {
            return refused(format_args!("that is not within 0..{extent}, or empty"));
        }
        if shards.is_some() {
            return refused(format_args!(
                "it lies in `{layout}`, and only tensors without shards have views"
            ));
        }
        // Along the last two axes a page has as many elements.
        let of_page = if own.len() > 2 { 1 } else { TILE };
        if !range.start.is_multiple_of(of_page) || !(range.end.is_multiple_of(of_page) || range.end == extent) {
            return refused(format_args!("its tiles begin at multiples of {TILE}"));
        }
        let pages = tiling.tiles() / extent.div_ceil(of_page);
        // `Tiling::of` bounds pages to 32 bits.
        let first = (range.start / of_page * pages) as u32;
        Ok(Tensor {
            raw: RawTensor {
                core: core.clone(),
                buffer: buffer.clone(),
                first_page: first_page + first,
                element: *element,
                tiling: Tiling::of(&shape)?,
                shape: shape.into(),
                layout: layout.clone(),
                shards: None,
            },
            element: PhantomData,
        })
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

    /// Where it lies on its device.
    pub fn layout(&self) -> Layout {
        self.raw.layout.clone()
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

/// Views of one element of the first axis, for every rank that has such.
macro_rules! views {
    ($($rank:literal: $inner:literal),*) => {$(
        impl<E: Element> Tensor<E, $rank> {
            /// What it holds at `index` of its first axis, as a tensor of the other axes that [shares its memory](Tensor::slice).
            ///
            /// ```no_run
            /// # fn main() -> tt_host::Result<()> {
            /// let device = tt_host::Device::open()?;
            /// let layers = device.upload(&[0.0f32; 4 * 64 * 10], [4, 64, 10])?;
            /// assert_eq!(layers.view(2)?.shape(), [64, 10]);
            /// # Ok(()) }
            /// ```
            ///
            /// # Errors
            /// Where the axis has no such index, or the tensor lies in shards.
            pub fn view(&self, index: usize) -> Result<Tensor<E, $inner>> {
                let [_, inner @ ..] = self.shape();
                self.part(index..index.saturating_add(1), inner)
            }
        }
    )*};
}

views!(3: 2, 4: 3, 5: 4, 6: 5);

/// Making tensors of floats from `f32`; a trait so that `device.upload_f32::<bf16>(&values, [m, n])` names the element type alone.
pub trait UploadF32<const RANK: usize> {
    /// As [`upload`](Device::upload), of the elements [nearest](Float::from_f32) to `values`.
    ///
    /// # Errors
    /// As [`upload`](Device::upload).
    fn upload_f32<E: Float>(&self, values: &[f32], shape: [usize; RANK]) -> Result<Tensor<E, RANK>>;
}

impl<const RANK: usize> UploadF32<RANK> for Device {
    fn upload_f32<E: Float>(&self, values: &[f32], shape: [usize; RANK]) -> Result<Tensor<E, RANK>> {
        self.upload(&nearest::<E>(values), shape)
    }
}

fn nearest<E: Float>(values: &[f32]) -> Vec<E> {
    values.par_iter().map(|value| E::from_f32(*value)).collect()
}

impl<E: Float, const RANK: usize> Tensor<E, RANK> {
    /// As [`download`](Tensor::download), as `f32`.
    ///
    /// # Errors
    /// As [`download`](Tensor::download).
    pub fn download_f32(&self) -> Result<Vec<f32>> {
        let elements = self.download()?;
        Ok(elements.into_par_iter().map(E::to_f32).collect())
    }

    /// As [`write`](Tensor::write), of the elements [nearest](Float::from_f32) to `values`.
    ///
    /// # Errors
    /// As [`write`](Tensor::write).
    pub fn write_f32(&mut self, values: &[f32]) -> Result<()> {
        self.write(&nearest::<E>(values))
    }
}

impl<E: Element, const RANK: usize> fmt::Debug for Tensor<E, RANK> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("element", &E::TYPE.name())
            .field("shape", &self.raw.shape)
            .field("layout", &format_args!("{} tiles of 32 × 32", self.raw.layout))
            .field("device", &self.raw.core.to_string())
            .finish()
    }
}
