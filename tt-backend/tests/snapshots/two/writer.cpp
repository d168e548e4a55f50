// two: the writer kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_z = tt::CBIndex::c_16;
constexpr uint32_t cb_y_out = tt::CBIndex::c_17;
constexpr uint32_t cb_z_stored = tt::CBIndex::c_18;
constexpr uint32_t cb_writer_scratch = tt::CBIndex::c_19;
constexpr uint32_t z_page_bytes = 2048;
constexpr uint32_t y_out_page_bytes = 4096;
constexpr uint32_t z_stored_page_bytes = 2048;

// The elements of a tile to rows and columns of a tensor that begin anywhere, those alone where the tile at `stored` is not 0, if
// there is one. Elements that follow each other in 16 of the tensor are one transfer, for which they have to lie in L1 as they do in
// DRAM: those of 16 rows at a time come to a page of scratch, where each is as far into its 16 as it is there.
template <uint32_t row_bytes, int32_t page_rows, int32_t step, typename Tensor>
inline void write_elements(const Tensor& tensor, int32_t page, int32_t pages, int32_t line, int32_t rows, int32_t columns, int32_t row,
                           int32_t column, int32_t row_count, int32_t column_count, uint32_t address, uint32_t stored,
                           uint32_t scratch) {
    constexpr int32_t element_bytes = row_bytes / 16;
    using Element = std::conditional_t<element_bytes == 1, uint8_t, std::conditional_t<element_bytes == 2, uint16_t, uint32_t>>;
    volatile tt_l1_ptr Element* elements = reinterpret_cast<volatile tt_l1_ptr Element*>(static_cast<uintptr_t>(address));
    volatile tt_l1_ptr uint16_t* is_stored = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(static_cast<uintptr_t>(stored));
    volatile tt_l1_ptr Element* places = reinterpret_cast<volatile tt_l1_ptr Element*>(static_cast<uintptr_t>(scratch));
    const int32_t first_run = column >> 4;
    const int32_t count = column_count < 32 ? column_count : 32;
    for (int32_t first_row = 0; first_row < 32; first_row += 16) {
        for (int32_t at = first_row; at < first_row + 16 && at < row_count; ++at) {
            const int32_t from = row + at * step;
            if (from < 0 || from >= rows) {
                continue;
            }
            const int32_t in_tile = page_rows == 1 ? line : from % 32;
            for (int32_t to = 0; to < count;) {
                const int32_t of = column + to;
                const int32_t begin = to;
                for (; to < count && (to == begin || (column + to) % 16 != 0); ++to) {
                    const int32_t element = ((at / 16 * 2 + to / 16) * 16 + at % 16) * 16 + to % 16;
                    if (column + to < 0 || column + to >= columns || (stored != 0 && is_stored[element] == 0)) {
                        break;
                    }
                    const int32_t run = ((column + to) >> 4) - first_run;
                    places[((at - first_row) * 3 + run) * 16 + (column + to) % 16] = elements[element];
                }
                if (to == begin) {
                    ++to;
                    continue;
                }
                const uint32_t offset = (((in_tile / 16 * 2 + of / 16 % 2) * 16 + in_tile % 16) * 16 + of % 16) * element_bytes;
                const uint32_t place = (((at - first_row) * 3 + (of >> 4) - first_run) * 16 + of % 16) * element_bytes;
                const uint64_t remote = tensor.get_noc_addr(page + from / page_rows * pages + of / 32, offset);
                noc_async_write(scratch + place, remote, static_cast<uint32_t>(to - begin) * element_bytes);
            }
        }
        noc_async_writes_flushed();
    }
}

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t c_address = get_arg_val<uint32_t>(3);
    const uint32_t d_address = get_arg_val<uint32_t>(4);
    const int32_t N_tiles = get_arg_val<int32_t>(5);
    const int32_t s_above = get_arg_val<int32_t>(6);
    const int32_t c_page = get_arg_val<int32_t>(7);
    const int32_t M = get_arg_val<int32_t>(8);
    const int32_t N = get_arg_val<int32_t>(9);
    const int32_t d_page = get_arg_val<int32_t>(10);
    constexpr auto c_args = TensorAccessorArgs<0>();
    const auto c = TensorAccessor(c_args, c_address);
    constexpr auto d_args = TensorAccessorArgs<c_args.next_compile_time_args_offset()>();
    const auto d = TensorAccessor(d_args, d_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_tiles;
        const int32_t by = block_id / N_tiles;
        // assorted.rs:41: if (bx == 0 && s > 0.5)
        if (bx == 0 && s_above != 0) {
            cb_wait_front(cb_z, 1);
        } else {
            cb_wait_front(cb_z, 1);
        }
        cb_wait_front(cb_z_stored, 1);
        // assorted.rs:48: T.copy(z, c[(by * 32; 32, bx * 32; 32)])
        {
            const int32_t first_row = by * 32;
            const int32_t first_column = bx * 32;
            uint32_t src = get_read_ptr(cb_z);
            uint32_t stored = get_read_ptr(cb_z_stored);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    write_elements<32, 32, 1>(c, c_page, N_tiles, 0, M, N, first_row + row * 32, first_column + column * 32, 32 - row * 32, 32 - column * 32, src, stored, get_write_ptr(cb_writer_scratch));
                    src += z_page_bytes;
                    stored += z_stored_page_bytes;
                }
            }
        }
        cb_pop_front(cb_z, 1);
        cb_pop_front(cb_z_stored, 1);
        cb_wait_front(cb_y_out, 1);
        // assorted.rs:49: T.copy(y, d[(by * 32; 32, bx * 32; 32)])
        {
            const int32_t first_row = by;
            const int32_t first_column = bx;
            uint32_t src = get_read_ptr(cb_y_out);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    noc_async_write_page(d_page + (first_row + row) * N_tiles + first_column + column, d, src);
                    src += y_out_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_y_out, 1);
    }
    noc_async_write_barrier();
}
