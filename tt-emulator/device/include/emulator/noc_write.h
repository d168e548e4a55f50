// Writes over the network on chip, to one place or to a rectangle of cores.
#pragma once

#include "emulator/noc_address.h"

template <bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write_one_packet(
    std::uint32_t src_local_l1_addr,
    std::uint64_t dst_noc_addr,
    std::uint32_t size,
    uint8_t noc = noc_index,
    uint32_t vc = NOC_UNICAST_WRITE_VC,
    TT_LINE_PARAM) {
    constexpr uint32_t flags = TT_EMULATOR_ONE_PACKET | (posted ? TT_EMULATOR_POSTED : 0);
    tt_emulator_dataflow()->noc_write(src_local_l1_addr, dst_noc_addr, size, flags, noc, 0, line);
}

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr,
    uint32_t size,
    uint8_t noc = noc_index,
    uint32_t vc = NOC_UNICAST_WRITE_VC,
    TT_LINE_PARAM) {
    constexpr uint32_t flags = (max_page_size <= NOC_MAX_BURST_SIZE ? TT_EMULATOR_ONE_PACKET : 0) | (posted ? TT_EMULATOR_POSTED : 0);
    tt_emulator_dataflow()->noc_write(src_local_l1_addr, dst_noc_addr, size, flags, noc, 0, line);
}

template <bool posted = false>
inline void noc_async_write_one_packet_set_state(
    uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_set_state(1, dst_noc_addr, size, noc, line);
}

template <bool posted = false>
inline void noc_async_write_one_packet_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint8_t noc = noc_index, TT_LINE_PARAM) {
    constexpr uint32_t flags = TT_EMULATOR_ONE_PACKET | (posted ? TT_EMULATOR_POSTED : 0);
    tt_emulator_dataflow()->noc_with_state(1, dst_local_l1_addr, src_local_l1_addr, 0, flags, noc, 0, line);
}

template <bool posted = false>
inline void noc_async_write_set_state(
    uint64_t dst_noc_addr, uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_set_state(1, dst_noc_addr, 0, noc, line);
}

template <bool posted = false, bool update_counter = true, bool skip_cmdbuf_chk = false>
inline void noc_async_write_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_with_state(1, dst_local_l1_addr, src_local_l1_addr, size, posted ? TT_EMULATOR_POSTED : 0, noc, 0, line);
}

template <bool update_counter = true, bool posted = false>
inline void noc_async_write_one_packet_with_trid(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr,
    uint32_t size,
    uint32_t trid,
    uint8_t cmd_buf = 0,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_UNICAST_WRITE_VC,
    TT_LINE_PARAM) {
    constexpr uint32_t flags = TT_EMULATOR_ONE_PACKET | (posted ? TT_EMULATOR_POSTED : 0);
    tt_emulator_dataflow()->noc_write(src_local_l1_addr, dst_noc_addr, size, flags, noc, trid, line);
}

template <typename AddrGen, bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write_page(
    const uint32_t id,
    const AddrGen& addrgen,
    uint32_t src_local_l1_addr,
    uint32_t size = 0,
    uint32_t offset = 0,
    uint8_t noc = noc_index,
    TT_LINE_PARAM) {
    if constexpr (requires { addrgen.emulator_accessor(); }) {
        const tt_emulator_accessor to = addrgen.emulator_accessor();
        const uint32_t bytes = size != 0 ? size : to.page_bytes;
        constexpr uint32_t flags = posted ? TT_EMULATOR_POSTED : 0;
        tt_emulator_dataflow()->write_page(to.base, to.page_bytes, to.dram, id, offset, bytes, src_local_l1_addr, flags, noc, line);
    } else {
        const uint32_t bytes = size != 0 ? size : tt_emulator_page_bytes(addrgen);
        noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
            src_local_l1_addr, get_noc_addr(id, addrgen, offset, noc, line), bytes, noc, NOC_UNICAST_WRITE_VC, line);
    }
}

template <bool enable_noc_tracing = true>
inline void noc_async_write_multicast_one_packet(
    std::uint32_t src_local_l1_addr,
    std::uint64_t dst_noc_addr_multicast,
    std::uint32_t size,
    std::uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index,
    TT_LINE_PARAM) {
    const uint32_t flags = TT_EMULATOR_ONE_PACKET | (linked ? TT_EMULATOR_LINKED : 0);
    tt_emulator_dataflow()->noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, flags, noc, line);
}

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
inline void noc_async_write_multicast(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t size,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_MULTICAST_WRITE_VC,
    TT_LINE_PARAM) {
    const uint32_t flags = (max_page_size <= NOC_MAX_BURST_SIZE ? TT_EMULATOR_ONE_PACKET : 0) | (linked ? TT_EMULATOR_LINKED : 0);
    tt_emulator_dataflow()->noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, flags, noc, line);
}

inline void noc_async_write_multicast_loopback_src(
    std::uint32_t src_local_l1_addr,
    std::uint64_t dst_noc_addr_multicast,
    std::uint32_t size,
    std::uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index,
    TT_LINE_PARAM) {
    const uint32_t flags = TT_EMULATOR_LOOPBACK | (linked ? TT_EMULATOR_LINKED : 0);
    tt_emulator_dataflow()->noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, flags, noc, line);
}

enum class InlineWriteDst : uint8_t { DEFAULT, L1, REG };

template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
inline void noc_inline_dw_write(
    uint64_t addr,
    uint32_t val,
    uint8_t be = 0xF,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_UNICAST_WRITE_VC,
    uint32_t customized_src_addr = 0,
    TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_inline_write(addr, val, posted ? TT_EMULATOR_POSTED : 0, noc, line);
}

inline void noc_async_write_barrier(uint8_t noc = noc_index, TT_LINE_PARAM) { tt_emulator_dataflow()->flush_writes(noc, 0, -1, line); }

inline void noc_async_writes_flushed(uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->flush_writes(noc, TT_EMULATOR_UNTIL_LEFT, -1, line);
}

inline void noc_async_posted_writes_flushed(uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->flush_writes(noc, TT_EMULATOR_POSTED | TT_EMULATOR_UNTIL_LEFT, -1, line);
}

inline void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->flush_writes(noc, 0, static_cast<int32_t>(trid), line);
}

inline void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->flush_writes(noc, TT_EMULATOR_UNTIL_LEFT, static_cast<int32_t>(trid), line);
}
