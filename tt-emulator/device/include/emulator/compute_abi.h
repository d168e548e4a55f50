// The table of compute functions: mirror of src/compute/abi.rs. Enumerations cross as numbers, lines of callers last.
#pragma once

struct tt_emulator_sfpu_call {
    uint64_t name;
    uint32_t variant;
    uint32_t inputs[3];
    uint32_t out;
    uint32_t words[3];
    uint32_t mode;
    uint32_t how[2];
    uint32_t flags;
    uint32_t format;
};

struct tt_emulator_compute_api {
    void (*hw_startup)(uint32_t icb0, uint32_t icb1, uint32_t ocb, uint32_t reverse, int line);
    void (*registers)(uint32_t step, int line);
    void (*reconfigure)(uint32_t side, uint32_t old_cb, uint32_t new_cb, int line);
    void (*matmul_init)(uint32_t in0, uint32_t in1, uint32_t transpose, uint32_t ct, uint32_t rt, uint32_t kt, int line);
    void (*matmul)(uint32_t in0, uint32_t in1, uint32_t i0, uint32_t i1, uint32_t idst, uint32_t transpose, uint32_t ct, uint32_t rt, uint32_t kt, int line);
    void (*binary_init)(uint32_t op, uint32_t broadcast, uint32_t icb0, uint32_t icb1, uint32_t accumulate, uint32_t full, int line);
    void (*binary)(uint32_t op, uint32_t broadcast, uint32_t icb0, uint32_t icb1, uint32_t i0, uint32_t i1, uint32_t idst, uint32_t row, uint32_t count, int line);
    void (*reuse_init)(uint32_t op, uint32_t reuse, uint32_t icb, int line);
    void (*reuse)(uint32_t op, uint32_t reuse, uint32_t icb, uint32_t tile, uint32_t idst, int line);
    void (*copy_init)(uint32_t icb, uint32_t transpose, uint32_t within_faces, int line);
    void (*copy)(uint32_t icb, uint32_t tile, uint32_t idst, uint32_t count, int line);
    void (*transpose_init)(uint32_t icb, int line);
    void (*transpose)(uint32_t icb, uint32_t tile, uint32_t idst, uint32_t count, int line);
    void (*transpose_dest_init)(int line);
    void (*transpose_dest)(uint32_t idst, int line);
    void (*unary_bcast_init)(uint32_t broadcast, uint32_t icb, int line);
    void (*unary_bcast)(uint32_t broadcast, uint32_t icb, uint32_t tile, uint32_t idst, int line);
    void (*unary_bcast_uninit)(uint32_t broadcast, uint32_t icb, int line);
    void (*reduce_init)(uint32_t pool, uint32_t dim, uint32_t icb, uint32_t scaler, uint32_t ocb, int line);
    void (*reduce)(uint32_t pool, uint32_t dim, uint32_t icb, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t idst, uint32_t count, int line);
    void (*reduce_uninit)(int line);
    void (*reduce_mask)(uint32_t dim, int line);
    void (*pack_init)(uint32_t ocb, int line);
    void (*pack)(uint32_t idst, uint32_t ocb, uint32_t out_of_order, uint32_t index, uint32_t count, int line);
    void (*pack_l1_acc)(uint32_t enable, int line);
    void (*pack_relu)(uint32_t mode, uint32_t threshold, int line);
    void (*tilize_init)(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t fast, int line);
    void (*tilize)(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input, uint32_t output, int line);
    void (*tilize_uninit)(uint32_t icb, uint32_t ocb, int line);
    void (*untilize_init)(uint32_t icb, uint32_t ocb, uint32_t block, uint32_t full, int line);
    void (*untilize_block)(uint32_t icb, uint32_t ocb, uint32_t block, uint32_t full, uint32_t rows, uint32_t column, uint32_t first, uint32_t output, int line);
    void (*untilize_dest)(uint32_t ocb, uint32_t block, uint32_t full, uint32_t rows, uint32_t column, uint32_t first, int line);
    void (*untilize_uninit)(uint32_t ocb, int line);
    void (*sfpu_init)(uint64_t name, uint32_t variant, uint32_t p0, uint32_t p1, int line);
    void (*mailbox_write)(uint32_t to, uint32_t value, int line);
    uint32_t (*mailbox_read)(uint32_t from, int line);
    void (*set_cb_pointer)(uint32_t cb, uint32_t write, uint32_t address, int line);
    void (*refused)(const char* name, int line);
    void (*sfpu)(const tt_emulator_sfpu_call* call, int line);
};
