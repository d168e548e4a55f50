// A circular buffer under its newer name, whose pages are entries.
#pragma once

#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"

class DataflowBuffer {
public:
    DataflowBuffer(uint16_t logical_dfb_id) : buffer_(logical_dfb_id) {}

    uint16_t get_id() const { return static_cast<uint16_t>(buffer_.get_cb_id()); }
    uint32_t get_entry_size(TT_LINE_PARAM) const { return fact(TT_EMULATOR_CB_PAGE_BYTES, line); }
    uint32_t get_stride_size(TT_LINE_PARAM) const { return fact(TT_EMULATOR_CB_PAGE_BYTES, line); }
    uint32_t get_total_num_entries(TT_LINE_PARAM) const { return fact(TT_EMULATOR_CB_PAGES, line); }
    uint32_t get_local_num_entries(TT_LINE_PARAM) const { return fact(TT_EMULATOR_CB_PAGES, line); }
    uint32_t get_total_size_bytes(TT_LINE_PARAM) const { return get_entry_size(line) * get_total_num_entries(line); }
    uint32_t get_local_size_bytes(TT_LINE_PARAM) const { return get_total_size_bytes(line); }

    void reserve_back(uint16_t num_entries, TT_LINE_PARAM) { buffer_.reserve_back(num_entries, line); }
    void push_back(uint16_t num_entries, TT_LINE_PARAM) { buffer_.push_back(num_entries, line); }
    void wait_front(uint16_t num_entries, TT_LINE_PARAM) { buffer_.wait_front(num_entries, line); }
    void pop_front(uint16_t num_entries, TT_LINE_PARAM) { buffer_.pop_front(num_entries, line); }

    uint32_t get_tile_size(TT_LINE_PARAM) const { return fact(TT_EMULATOR_CB_TILE_BYTES, line); }
    uint32_t get_tile_r_dim(TT_LINE_PARAM) const { return fact(TT_EMULATOR_CB_TILE_ROWS, line); }
    uint32_t get_tile_c_dim(TT_LINE_PARAM) const { return fact(TT_EMULATOR_CB_TILE_COLUMNS, line); }
    uint32_t get_tile_hw(TT_LINE_PARAM) const { return get_tile_r_dim(line) * get_tile_c_dim(line); }
    DataFormat get_dataformat(TT_LINE_PARAM) const { return static_cast<DataFormat>(fact(TT_EMULATOR_CB_FORMAT, line)); }

#ifndef COMPILE_FOR_TRISC
    bool pages_reservable_at_back(int32_t num_pages, TT_LINE_PARAM) const { return buffer_.pages_reservable_at_back(num_pages, line); }
    bool pages_available_at_front(int32_t num_pages, TT_LINE_PARAM) const { return buffer_.pages_available_at_front(num_pages, line); }
    void write_barrier(const Noc& noc, TT_LINE_PARAM) const { noc.async_write_barrier({}, line); }
    void read_barrier(const Noc& noc, TT_LINE_PARAM) const { noc.async_read_barrier({}, line); }
#endif

    uint32_t get_write_ptr(TT_LINE_PARAM) const { return buffer_.get_write_ptr(line); }
    uint32_t get_read_ptr(TT_LINE_PARAM) const { return buffer_.get_read_ptr(line); }

    void finish() {}

private:
    uint32_t fact(uint32_t which, int line) const { return tt_emulator_dataflow()->cb_fact(buffer_.get_cb_id(), which, line); }

    CircularBuffer buffer_;
};

#ifndef COMPILE_FOR_TRISC
template <>
struct noc_traits_t<DataflowBuffer> : tt_emulator_cb_endpoint {
    template <Noc::AddressType address_type>
    static uint32_t src_addr(const DataflowBuffer& src, const Noc&, const src_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "DataflowBuffer without mcast range can only be used as L1 source");
        return src.get_read_ptr(line) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint32_t dst_addr(const DataflowBuffer& dst, const Noc&, const dst_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "DataflowBuffer without mcast range can only be used as L1 source");
        return dst.get_write_ptr(line) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint64_t dst_addr_mcast(const DataflowBuffer& dst, const Noc& noc, const dst_args_mcast_type& args, int line) {
        static_assert(address_type == Noc::AddressType::NOC, "DataflowBuffer with mcast range cannot be used as L1 source");
        return multicast(noc, args, dst.get_write_ptr(line));
    }
};
#endif
