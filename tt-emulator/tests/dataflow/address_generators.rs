//! The older generators of addresses, and page sizes that only agree once they are rounded up.

use tt_emulator::{ArchName, Buffer, BufferKind, DataFormat, Program, launch};

use crate::rig::*;

/// Copies `pages` pages from DRAM to L1 buffers by the generator of this number, told that a page has `page_bytes`.
fn copy(arch: ArchName, generator: u32, pages: u32, page_bytes: u32) {
    let device = device(arch);
    let bytes = u64::from(pages * page_bytes);
    let make = |kind| Buffer::allocate(&device, kind, bytes, page_bytes.into()).unwrap();
    let (source, target) = (make(BufferKind::Dram), make(BufferKind::L1));
    let data: Vec<u8> = (0..bytes).map(|index| (index * 31 + index / 251) as u8).collect();
    source.write(&data).unwrap();
    let mut program = Program::new();
    let mut staging = circular_buffer(0, 1, &[(0, 0)]);
    staging.indices[0].format = DataFormat::Float16_b;
    program.create_circular_buffer(staging).unwrap();
    let args = [&[pages, page_bytes][..], &accessor(&source), &accessor(&target)].concat();
    let mut copy = kernel("address_generators.cpp", &args);
    copy.defines.insert("GENERATOR".to_owned(), generator.to_string());
    let handle = program.create_kernel(copy, READER, vec![(0, 0)]).unwrap();
    let addresses = [source.address() as u32, target.address() as u32];
    program.set_runtime_args(handle, (0, 0), &addresses).unwrap();
    launch(&device, &program, 1).unwrap_or_else(|error| panic!("generator {generator} on {arch}: {error}"));
    assert!(
        read(&target) == data,
        "generator {generator}, pages of {page_bytes} bytes on {arch}"
    );
}

#[test]
fn every_generator_finds_every_page() {
    for arch in ArchName::ALL {
        for generator in 0..4 {
            copy(arch, generator, 150, PAGE as u32);
        }
    }
}

/// The accessor of the device rounds what it is told up to the allocator's alignment, as the allocator does.
#[test]
fn a_page_size_may_be_told_without_its_padding() {
    for arch in ArchName::ALL {
        for page_bytes in [4, 20, 1000] {
            for generator in [0, 3] {
                copy(arch, generator, 150, page_bytes);
            }
        }
    }
}
