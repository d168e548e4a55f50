"""Times tt-lang-sim on its own shipped tutorials, for `cargo xtask bench`.

A tutorial is a script with its sizes written into its last statement, a `try` that makes the inputs, runs the operation
and compares. This driver loads the script out of the installed package, leaves that last statement out, and runs the
operation it defines on inputs of the size asked for, as `tt-lang-sim SCRIPT` would run it. The tutorial's own code is
neither copied nor changed.

usage: PYTHON peer.py matmul|elementwise --size N [--step 1..4] [--threads T] [--grid R,C]

Prints one JSON object on stdout:
    {"peer", "version", "torch", "workload", "step", "size", "threads", "grid",
     "seconds": {"upload", "kernel", "download", "total"}, "peak_rss_bytes", "tensor_bytes", "pcc"}
`matmul` is relu(a·b + c) on N×N×N, `elementwise` is (a*b + c)*d on N×N, both bf16; `total` is what a user waits for once the
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
    1: "step_1_single_node_single_tile_block.py",
    2: "step_2_single_node_multitile_block.py",
    3: "step_3_multinode.py",
    4: "step_4_multinode_grid_full.py",
}
CHECKED_ROWS = 64
LEAST_PCC = 0.999


def arguments():
    parser = argparse.ArgumentParser(description="time tt-lang-sim on its own tutorials")
    parser.add_argument("workload", choices=("matmul", "elementwise"))
    parser.add_argument("--size", type=int, required=True, help="extent of every axis, a multiple of 128")
    parser.add_argument("--step", type=int, choices=sorted(STEPS), default=4, help="which step of the tutorial (default: the last on one device)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads that torch may use (default: all)")
    parser.add_argument("--grid", help="ROWS,COLS of the grid of cores (default: the simulator's own)")
    options = parser.parse_args()
    if options.size <= 0 or options.size % 128:
        parser.error(f"--size {options.size}: the tutorials need a multiple of 128")
    return options


def tutorial_path(workload, step):
    """Where the package keeps a tutorial; to be asked before the simulator takes over the module name `ttl`."""
    package = importlib.util.find_spec(f"ttl.tutorials.{workload}")
    if package is None:
        sys.exit(f"peer.py: tt-lang-sim ships no tutorial named {workload}")
    return os.path.join(package.submodule_search_locations[0], STEPS[step])


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


def main():
    options = arguments()
    import torch
    from ttl.sim.operation import get_default_grid, set_default_grid
    from ttl.sim.ttlang_sim import setup_simulator_imports

    path = tutorial_path(options.workload, options.step)
    setup_simulator_imports()
    torch.set_num_threads(options.threads)
    if options.grid:
        set_default_grid(tuple(int(extent) for extent in options.grid.split(",")))
    import ttnn

    torch.manual_seed(42)
    n = options.size
    namespace = tutorial(path)
    device = namespace["device"] = ttnn.open_device(device_id=0)
    count = {"matmul": 3, "elementwise": 4}[options.workload]
    values = [torch.randn((n, n), dtype=torch.bfloat16) for _ in range(count)]

    started = time.perf_counter()
    inputs = [namespace["from_torch"](value) for value in values]
    uploaded = time.perf_counter()
    output = namespace["tutorial_operation"](*inputs[:3])
    if options.workload == "elementwise":
        output = ttnn.multiply(output, inputs[3])
    computed = time.perf_counter()
    result = ttnn.to_torch(output)
    downloaded = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    ttnn.close_device(device)

    rows = torch.randperm(n)[:CHECKED_ROWS]
    a, b, c = (value.float() for value in values[:3])
    if options.workload == "matmul":
        expected = torch.relu(a[rows] @ b + c[rows])
    else:
        expected = (a[rows] * b[rows] + c[rows]) * values[3][rows].float()
    correlation = pcc(torch, result[rows], expected)

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
        "tensor_bytes": 2 * n * n * (count + 1),
        "pcc": round(correlation, 6),
    }))
    if not correlation >= LEAST_PCC:
        sys.exit(f"peer.py: the result is wrong: correlation {correlation:.6f} with the expected values")


if __name__ == "__main__":
    main()
