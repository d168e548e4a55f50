// swiglu: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_gate_block = tt::CBIndex::c_0;
constexpr uint32_t cb_up_block = tt::CBIndex::c_1;
constexpr uint32_t gate_block_page_bytes = 2048;
constexpr uint32_t up_block_page_bytes = 2048;

// Zeros in a whole page.
inline void zero_page(uint32_t address, uint32_t bytes) {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address));
    for (uint32_t word = 0; word < bytes / 4; ++word) {
        words[word] = 0;
    }
}

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t gate_address = get_arg_val<uint32_t>(3);
    const uint32_t up_address = get_arg_val<uint32_t>(4);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(5);
    const int32_t N_tiles = get_arg_val<int32_t>(6);
    const int32_t M_tiles = get_arg_val<int32_t>(7);
    const int32_t gate_page = get_arg_val<int32_t>(8);
    const int32_t up_page = get_arg_val<int32_t>(9);
    constexpr auto gate_args = TensorAccessorArgs<0>();
    const auto gate = TensorAccessor(gate_args, gate_address);
    constexpr auto up_args = TensorAccessorArgs<gate_args.next_compile_time_args_offset()>();
    const auto up = TensorAccessor(up_args, up_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_div_ceil_64;
        const int32_t by = block_id / N_div_ceil_64;
        // classic.rs:122: out[(by * 64 + i, bx * 64 + j)] = ((gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)]) * scale)
        cb_reserve_back(cb_gate_block, 4);
        // classic.rs:122: out[(by * 64 + i, bx * 64 + j)] = ((gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)]) * scale)
        cb_reserve_back(cb_up_block, 4);
        {
            const int32_t first_row = by * 2;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
            uint32_t dst = get_write_ptr(cb_gate_block);
            for (int32_t row = 0; row < 2; ++row) {
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(gate_page + (first_row + row) * N_tiles + first_column + column, gate, dst);
                        dst += gate_block_page_bytes;
                    }
                }
                for (; column < 2; ++column) {
                    zero_page(dst, gate_block_page_bytes);
                    dst += gate_block_page_bytes;
                }
            }
        }
        {
            const int32_t first_row = by * 2;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
            uint32_t dst = get_write_ptr(cb_up_block);
            for (int32_t row = 0; row < 2; ++row) {
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(up_page + (first_row + row) * N_tiles + first_column + column, up, dst);
                        dst += up_block_page_bytes;
                    }
                }
                for (; column < 2; ++column) {
                    zero_page(dst, up_block_page_bytes);
                    dst += up_block_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_gate_block, 4);
        cb_push_back(cb_up_block, 4);
    }
}
