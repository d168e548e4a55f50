//! Kernels that make pointers of L1 addresses as the host knows them: the same number on every core, and its own memory.

use tt_emulator::{ArchName, Buffer, BufferKind, CoreCoord, Program, launch};

use crate::rig::*;

#[test]
fn an_address_in_l1_leads_to_the_memory_of_the_core_that_follows_it() {
    const CORES: [CoreCoord; 2] = [(0, 0), (1, 0)];
    for arch in ArchName::ALL {
        for threads in [1, 2] {
            let device = device(arch);
            let pages = device.arch().cores();
            let target = Buffer::allocate(&device, BufferKind::L1, (pages * PAGE) as u64, PAGE as u64).unwrap();
            target.write(&vec![0; pages * PAGE]).unwrap();
            let mut program = Program::new();
            let handle = program
                .create_kernel(kernel("l1_addresses.cpp", &[]), READER, CORES.to_vec())
                .unwrap();
            for (index, core) in CORES.into_iter().enumerate() {
                let other = CORES[1 - index];
                let (x, y) = device.arch().virtual_core(other.0, other.1);
                let mine = 100 * (index as u32 + 1);
                let arguments = [target.address() as u32, PAGE as u32, mine, x.into(), y.into()];
                program.set_runtime_args(handle, core, &arguments).unwrap();
            }
            launch(&device, &program, threads).unwrap_or_else(|error| panic!("{arch}: {error}"));
            // A page for each core, in their order.
            let data = read(&target);
            let words: Vec<u32> = data
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect();
            let count = PAGE as u32 / 4;
            for (index, page) in words.chunks_exact(PAGE / 4).take(2).enumerate() {
                let (mine, other) = (100 * (index as u32 + 1), 100 * (2 - index as u32));
                let written: Vec<u32> = (0..7).map(|word| mine + word).chain([count]).collect();
                assert_eq!(page[..8], written, "core {index} of {arch}");
                assert_eq!(
                    [page[PAGE / 4 - 8], page[PAGE / 4 - 4]],
                    [other, mine],
                    "core {index} of {arch}"
                );
            }
            assert!(words[2 * PAGE / 4..].iter().all(|word| *word == 0), "{arch}");
        }
    }
}
