//! Upstream's programming examples, and what becomes of each on the emulator.

use Outcome::{Outside, Runs, Stopped, Verified};

/// What becomes of an example.
pub enum Outcome {
    /// It compares its results itself, and prints this where they are right.
    Verified(&'static str),
    /// It ends without an error; it compares nothing, this is what it prints.
    Runs(&'static str),
    /// It is stopped, with these words in what is said, for this reason.
    Stopped(&'static str, &'static str),
    /// It is not built: it is about what the emulator does not have.
    Outside(&'static str),
}

/// A programming example.
pub struct Example {
    /// Its host program below `tt_metal/programming_examples`.
    pub host: &'static str,
    /// What it is called with.
    pub arguments: &'static [&'static str],
    /// Rules that it breaks harmlessly, for `TT_EMULATOR_ALLOW`.
    pub allow: &'static str,
    /// What becomes of it.
    pub outcome: Outcome,
}

const fn example(host: &'static str, outcome: Outcome) -> Example {
    Example {
        host,
        arguments: &[],
        allow: "",
        outcome,
    }
}

const fn allowing(host: &'static str, allow: &'static str, outcome: Outcome) -> Example {
    Example {
        host,
        arguments: &[],
        allow,
        outcome,
    }
}

/// It reads and gives back pages that were filled before the run, without waiting for them.
const fn vecadd_sharding(arguments: &'static [&'static str]) -> Example {
    Example {
        host: "vecadd_sharding/vecadd_sharding.cpp",
        arguments,
        allow: "EMU0105,EMU0111,EMU0112",
        outcome: Verified("All results match expected values"),
    }
}

const PASSED: Outcome = Verified("Test Passed");
/// The words of the profiler's examples, which compare nothing.
const ENDED: Outcome = Runs("Test Passed");
const SFPI: Outcome = Stopped("EMU0713", "its kernel is in SFPI, the language of the vector unit");

/// All of them.
pub const EXAMPLES: &[Example] = &[
    example(
        "NoC_tile_transfer/noc_tile_transfer.cpp",
        Verified("Result = 14 : Expected = 14"),
    ),
    allowing(
        "add_2_integers_in_compute/add_2_integers_in_compute.cpp",
        "EMU0104,EMU0112",
        Verified("Success: Result matches"),
    ),
    example(
        "add_2_integers_in_riscv/add_2_integers_in_riscv.cpp",
        Verified("Success: Result is 21"),
    ),
    allowing(
        "contributed/multicast/multicast.cpp",
        "EMU0104",
        Verified("receiver tiles match the golden tile"),
    ),
    example("contributed/vecadd/vecadd.cpp", Runs("Partial results")),
    example("custom_sfpi_add/custom_sfpi_add.cpp", SFPI),
    example("custom_sfpi_smoothstep/custom_sfpi_smoothstep.cpp", SFPI),
    example(
        "distributed/1_distributed_program_dispatch/distributed_program_dispatch.cpp",
        Outside("a mesh of 2 × 4 devices"),
    ),
    example(
        "distributed/2_distributed_buffer_rw/distributed_buffer_rw.cpp",
        Outside("a mesh of 2 × 4 devices"),
    ),
    example(
        "distributed/3_distributed_eltwise_add/distributed_eltwise_add.cpp",
        Outside("a mesh of 2 × 4 devices"),
    ),
    example(
        "distributed/4_distributed_trace_and_events/distributed_trace_and_events.cpp",
        Outside("sub-devices and traces on a mesh of 2 × 4 devices"),
    ),
    example("eltwise_binary/eltwise_binary.cpp", PASSED),
    example("eltwise_sfpu/eltwise_sfpu.cpp", PASSED),
    example(
        "hello_world_compute_kernel/hello_world_compute_kernel.cpp",
        Runs("for the completed task"),
    ),
    example(
        "hello_world_datamovement_kernel/hello_world_datamovement_kernel.cpp",
        Runs("Thank you"),
    ),
    example(
        "hello_world_datatypes_kernel/hello_world_datatypes_kernel.cpp",
        Stopped(
            "EMU0201",
            "it reads from NoC coordinates where no core and no bank is; the simulator stops there too",
        ),
    ),
    example("loopback/loopback.cpp", PASSED),
    example("matmul/matmul_multi_core/matmul_multi_core.cpp", PASSED),
    example("matmul/matmul_multicore_reuse/matmul_multicore_reuse.cpp", PASSED),
    // Its multicasts are not flushed on Wormhole, as a comment there says.
    allowing(
        "matmul/matmul_multicore_reuse_mcast/matmul_multicore_reuse_mcast.cpp",
        "EMU0211",
        PASSED,
    ),
    example("matmul/matmul_single_core/matmul_single_core.cpp", PASSED),
    example(
        "pad_multi_core/pad_multi_core.cpp",
        Runs("Padded tensor with shape (64, 64)"),
    ),
    example("profiler/test_custom_cycle_count/test_custom_cycle_count.cpp", ENDED),
    example(
        "profiler/test_custom_cycle_count_slow_dispatch/test_custom_cycle_count_slow_dispatch.cpp",
        ENDED,
    ),
    example(
        "profiler/test_device_api_debugger/test_device_api_debugger.cpp",
        Stopped(
            "EMU02",
            "it writes over the first kilobytes of L1, which belong to the firmware",
        ),
    ),
    example("profiler/test_dispatch_cores/test_dispatch_cores.cpp", ENDED),
    example("profiler/test_full_buffer/test_full_buffer.cpp", ENDED),
    example("profiler/test_multi_op/test_multi_op.cpp", ENDED),
    example(
        "profiler/test_multi_op_buffer_overflow/test_multi_op_buffer_overflow.cpp",
        ENDED,
    ),
    example("profiler/test_noc_event_profiler/test_noc_event_profiler.cpp", ENDED),
    example("profiler/test_timestamped_events/test_timestamped_events.cpp", ENDED),
    example("sfpu_eltwise_chain/sfpu_eltwise_chain.cpp", Verified("PCC")),
    example("shard_data_rm/shard_data_rm.cpp", Runs("Program finished successfully")),
    example("tests/mesh_device_test.cpp", Runs("")),
    example("tests/out_of_tree_test.cpp", Runs("")),
    example(
        "tests/package_integration_test.cpp",
        Runs("TT-Metal: Mesh device closed"),
    ),
    allowing(
        "vecadd_multi_core/vecadd_multi_core.cpp",
        "EMU0506",
        Verified("All results match expected values"),
    ),
    vecadd_sharding(&["-s", "height"]),
    vecadd_sharding(&["-s", "width"]),
    vecadd_sharding(&["-s", "block"]),
];
