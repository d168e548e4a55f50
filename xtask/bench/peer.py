"""Times tt-lang-sim on its own shipped tutorials, and on programs over rows in its language, for `cargo xtask bench`.

A tutorial is a script with its sizes written into its last statement, a `try` that makes the inputs, runs the operation
and compares. This driver loads the script out of the installed package, leaves that last statement out, and runs the
operation it defines on inputs of the size asked for, as `tt-lang-sim SCRIPT` would run it. The tutorial's own code is
neither copied nor changed. It ships none for softmax and reductions; those are in peer_rows.py.

usage: PYTHON peer.py matmul|elementwise|broadcast|softmax|row_sums --size N [--step 1..4] [--threads T] [--grid R,C]

Prints one JSON object on stdout:
    {"peer", "version", "torch", "workload", "step", "size", "threads", "grid",
     "seconds": {"upload", "kernel", "download", "total"}, "peak_rss_bytes", "tensor_bytes", "pcc"}
`matmul` is relu(a·b + c) on N×N×N, `elementwise` is (a*b + c)*d on N×N, `broadcast` the same with a column a, a row b and a
single c, `softmax` and `row_sums` are those of the rows of an N×N matrix, all in bf16; `total` is what a user waits for once the
host values exist: upload, kernel and download. The result is compared on sampled rows; a wrong one is exit status 1.
"""

import argparse
import ast
import importlib.metadata
import importlib.util
import json
import os
import resource
import sys
import time

STEPS = {
    "matmul": {
        1: "step_1_single_node_single_tile_block.py",
        2: "step_2_single_node_multitile_block.py",
        3: "step_3_multinode.py",
        4: "step_4_multinode_grid_full.py",
    },
    "broadcast": {
        1: "single_node_broadcast_single_tile_block.py",
        2: "single_node_broadcast_multitile_blocks.py",
    },
}
STEPS["elementwise"] = STEPS["matmul"]
WORKLOADS = (*STEPS, "softmax", "row_sums")
TILE = 32
CHECKED_ROWS = 64
LEAST_PCC = 0.999


def arguments():
    parser = argparse.ArgumentParser(description="time tt-lang-sim on its own tutorials")
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--size", type=int, required=True, help="extent of every axis, a multiple of 128")
    parser.add_argument("--step", type=int, help="which step of the tutorial (default: the last on one device)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads that torch may use (default: all)")
    parser.add_argument("--grid", help="ROWS,COLS of the grid of cores (default: the simulator's own)")
    options = parser.parse_args()
    if options.size <= 0 or options.size % 128:
        parser.error(f"--size {options.size}: the tutorials need a multiple of 128")
    steps = STEPS.get(options.workload, {0: None})
    options.step = max(steps) if options.step is None else options.step
    if options.step not in steps:
        parser.error(f"--step {options.step}: there are {sorted(steps)}")
    return options


def tutorial_path(workload, step):
    """Where the package keeps a tutorial; to be asked before the simulator takes over the module name `ttl`."""
    package = importlib.util.find_spec(f"ttl.tutorials.{workload}")
    if package is None:
        sys.exit(f"peer.py: tt-lang-sim ships no tutorial named {workload}")
    return os.path.join(package.submodule_search_locations[0], STEPS[workload][step])


def tutorial(path):
    """The namespace a tutorial's definitions leave behind; its closing statement, which runs it, is left out."""
    with open(path, encoding="utf-8") as file:
        script = ast.parse(file.read(), path)
    if not isinstance(script.body[-1], ast.Try):
        sys.exit(f"peer.py: {path} does not end in the statement that runs it; this driver was written for tt-lang-sim 1.1.6")
    script.body.pop()
    namespace = {"__name__": "__main__", "__file__": path}
    exec(compile(script, path, "exec"), namespace)
    return namespace


def pcc(torch, found, expected):
    pair = torch.stack([found.flatten().double(), expected.flatten().double()])
    return torch.corrcoef(pair)[0, 1].item()


def shapes(workload, n):
    """The shapes of the inputs."""
    return {
        "matmul": [(n, n)] * 3,
        "elementwise": [(n, n)] * 4,
        "broadcast": [(n, 1), (1, n), (1, 1), (n, n)],
    }.get(workload, [(n, n)])


def expected_rows(torch, workload, values, rows):
    """What the rows `rows` of the result are."""
    first = values[0].float()
    if workload == "matmul":
        return torch.relu(first[rows] @ values[1].float() + values[2].float()[rows])
    if workload == "softmax":
        return torch.softmax(first[rows], dim=-1)
    if workload == "row_sums":
        return first[rows].sum(dim=-1, keepdim=True)
    b, c, d = (value.float().expand(len(first), -1)[rows] for value in values[1:])
    return (first[rows] * b + c) * d


def main():
    options = arguments()
    import torch
    from ttl.sim.operation import get_default_grid, set_default_grid
    from ttl.sim.ttlang_sim import setup_simulator_imports

    workload = options.workload
    path = tutorial_path(workload, options.step) if workload in STEPS else None
    setup_simulator_imports()
    torch.set_num_threads(options.threads)
    if options.grid:
        set_default_grid(tuple(int(extent) for extent in options.grid.split(",")))
    import ttnn

    torch.manual_seed(42)
    n = options.size
    if path:
        namespace = tutorial(path)
        device = namespace["device"] = ttnn.open_device(device_id=0)
        from_torch = namespace["from_torch"]
    else:
        import peer_rows

        device = ttnn.open_device(device_id=0)

        def from_torch(value):
            return ttnn.from_torch(
                value,
                dtype=ttnn.bfloat16,
                layout=ttnn.TILE_LAYOUT,
                device=device,
                memory_config=ttnn.DRAM_MEMORY_CONFIG,
            )

    values = [torch.randn(shape, dtype=torch.bfloat16) for shape in shapes(workload, n)]

    started = time.perf_counter()
    inputs = [from_torch(value) for value in values]
    uploaded = time.perf_counter()
    if path:
        run = namespace["demo_kernel" if workload == "broadcast" else "tutorial_operation"]
        output = run(*inputs[:3])
        if workload != "matmul":
            output = ttnn.multiply(output, inputs[3])
    else:
        output = from_torch(torch.zeros((n, n if workload == "softmax" else TILE), dtype=torch.bfloat16))
        getattr(peer_rows, workload)(inputs[0], output)
    computed = time.perf_counter()
    result = ttnn.to_torch(output)
    downloaded = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    ttnn.close_device(device)

    if workload == "row_sums":
        result = result[:, :1]
    rows = torch.randperm(n)[:CHECKED_ROWS]
    correlation = pcc(torch, result[rows], expected_rows(torch, workload, values, rows))

    print(json.dumps({
        "peer": "tt-lang-sim",
        "version": importlib.metadata.version("tt-lang-sim"),
        "torch": torch.__version__,
        "workload": options.workload,
        "step": options.step,
        "size": n,
        "threads": options.threads,
        "grid": list(get_default_grid()),
        "seconds": {
            "upload": round(uploaded - started, 4),
            "kernel": round(computed - uploaded, 4),
            "download": round(downloaded - computed, 4),
            "total": round(downloaded - started, 4),
        },
        "peak_rss_bytes": peak,
        "tensor_bytes": 2 * (sum(value.numel() for value in values) + result.numel()),
        "pcc": round(correlation, 6),
    }))
    if not correlation >= LEAST_PCC:
        sys.exit(f"peer.py: the result is wrong: correlation {correlation:.6f} with the expected values")


if __name__ == "__main__":
    main()
