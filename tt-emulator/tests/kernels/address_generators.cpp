// Copies pages through circular buffer 0, addressed by one of the older generators; needs no include, as in the JIT.
void kernel_main() {
    const uint32_t from = get_arg_val<uint32_t>(0);
    const uint32_t to = get_arg_val<uint32_t>(1);
    constexpr uint32_t pages = get_compile_time_arg_val(0);
    constexpr uint32_t page_bytes = get_compile_time_arg_val(1);
#if GENERATOR == 0
    const InterleavedAddrGen<true> source = {.bank_base_address = from, .page_size = page_bytes};
    const InterleavedAddrGen<false> target = {.bank_base_address = to, .page_size = page_bytes};
#elif GENERATOR == 1
    const InterleavedAddrGenFast<true> source = {
        .bank_base_address = from, .page_size = page_bytes, .data_format = DataFormat::Float16_b};
    const InterleavedAddrGenFast<false> target = {
        .bank_base_address = to, .page_size = page_bytes, .data_format = DataFormat::Float16_b};
#elif GENERATOR == 2
    const InterleavedPow2AddrGen<true> source = {.bank_base_address = from, .log_base_2_of_page_size = 11};
    const InterleavedPow2AddrGenFast<false> target = {.bank_base_address = to, .log_base_2_of_page_size = 11};
#else
    constexpr auto source_args = TensorAccessorArgs<2>();
    constexpr auto target_args = TensorAccessorArgs<4>();
    const auto source = TensorAccessor(source_args, from, page_bytes);
    const auto target = TensorAccessor(target_args, to, page_bytes);
#endif
    constexpr uint32_t cb = tt::CB::c_in0;
    const uint32_t l1 = get_write_ptr(cb);
    for (uint32_t page = 0; page < pages; ++page) {
        if (page % 2 == 0) {
            noc_async_read_tile(page, source, l1);
        } else {
            noc_async_read(get_noc_addr(page, source), l1, page_bytes);
        }
        noc_async_read_barrier();
        noc_async_write_tile(page, target, l1);
        noc_async_write_barrier();
    }
}
