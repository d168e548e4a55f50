// Reads over the network on chip.
#pragma once

#include "emulator/noc_address.h"

template <bool enable_noc_tracing = true>
inline void noc_async_read_one_packet(
    uint64_t src_noc_addr,
    uint32_t dst_local_l1_addr,
    uint32_t size,
    uint8_t noc = noc_index,
    uint32_t read_req_vc = NOC_UNICAST_WRITE_VC,
    TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_read(src_noc_addr, dst_local_l1_addr, size, 1, noc, line);
}

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
inline void noc_async_read(
    uint64_t src_noc_addr,
    uint32_t dst_local_l1_addr,
    uint32_t size,
    uint8_t noc = noc_index,
    uint32_t read_req_vc = NOC_UNICAST_WRITE_VC,
    TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_read(src_noc_addr, dst_local_l1_addr, size, max_page_size <= NOC_MAX_BURST_SIZE, noc, line);
}

template <bool use_vc = false>
inline void noc_async_read_one_packet_set_state(
    uint64_t src_noc_addr, uint32_t size, const uint32_t vc = 0, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_set_state(0, src_noc_addr, size, noc, line);
}

template <bool inc_num_issued = true, bool use_vc = false>
inline void noc_async_read_one_packet_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, const uint32_t vc = 0, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_with_state(0, src_local_l1_addr, dst_local_l1_addr, 0, TT_EMULATOR_ONE_PACKET, noc, 0, line);
}

inline void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_set_state(0, src_noc_addr, 0, noc, line);
}

template <bool inc_num_issued = true, bool skip_cmdbuf_chk = false>
inline void noc_async_read_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_with_state(0, src_local_l1_addr, dst_local_l1_addr, size, 0, noc, 0, line);
}

inline void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->set_read_transaction(noc, trid, line);
}

template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
inline void noc_async_read_one_packet_with_state_with_trid(
    uint32_t src_base_addr, uint32_t src_addr, uint32_t dest_addr, uint32_t trid = 0, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->set_read_transaction(noc, trid, line);
    tt_emulator_dataflow()->noc_with_state(0, src_base_addr + src_addr, dest_addr, 0, TT_EMULATOR_ONE_PACKET, noc, trid, line);
}

template <typename AddrGen, bool enable_noc_tracing = true>
inline void noc_async_read_page(
    const uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr, uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) {
    if constexpr (requires { addrgen.emulator_accessor(); }) {
        const tt_emulator_accessor to = addrgen.emulator_accessor();
        tt_emulator_dataflow()->read_page(to.base, to.page_bytes, to.dram, id, offset, to.page_bytes, dst_local_l1_addr, noc, line);
    } else {
        const uint64_t from = get_noc_addr(id, addrgen, offset, noc, line);
        noc_async_read(from, dst_local_l1_addr, tt_emulator_page_bytes(addrgen), noc, 0, line);
    }
}

inline void noc_async_read_barrier(uint8_t noc = noc_index, TT_LINE_PARAM) { tt_emulator_dataflow()->read_barrier(noc, -1, line); }

inline void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->read_barrier(noc, static_cast<int32_t>(trid), line);
}
