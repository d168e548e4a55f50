"""Programs over rows in tt-lang, for `peer.py`: what its package ships no tutorial of.

Written for this benchmark in the manner of the shipped broadcast tutorial: one node, blocks of several tiles, two of them in flight.
A block holds whole rows, 32 of them, so that each element is read once, as our kernels do it.
"""

import ttl
import ttnn

TILE_SIZE = 32


@ttl.operation(grid=(1, 1))
def softmax(x: ttnn.Tensor, y: ttnn.Tensor):
    rows = x.shape[0] // TILE_SIZE
    cols = x.shape[1] // TILE_SIZE
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, cols), block_count=2)

    @ttl.compute()
    def compute():
        for _ in range(rows):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                most = ttl.math.reduce_max(x_blk, dims=[-1], shape=(1, 1))
                e = ttl.math.exp(x_blk - ttl.block.broadcast(most, dims=[-1], shape=(1, cols)))
                total = ttl.math.reduce_sum(e, dims=[-1], shape=(1, 1))
                y_blk.store(e / ttl.block.broadcast(total, dims=[-1], shape=(1, cols)))

    @ttl.datamovement()
    def read():
        for row in range(rows):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row : row + 1, 0:cols], x_blk).wait()

    @ttl.datamovement()
    def write():
        for row in range(rows):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + 1, 0:cols]).wait()


@ttl.operation(grid=(1, 1))
def row_sums(x: ttnn.Tensor, y: ttnn.Tensor):
    rows = x.shape[0] // TILE_SIZE
    cols = x.shape[1] // TILE_SIZE
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

    @ttl.compute()
    def compute():
        for _ in range(rows):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.reduce_sum(x_blk, dims=[-1], shape=(1, 1)))

    @ttl.datamovement()
    def read():
        for row in range(rows):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row : row + 1, 0:cols], x_blk).wait()

    @ttl.datamovement()
    def write():
        for row in range(rows):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + 1, 0:1]).wait()
