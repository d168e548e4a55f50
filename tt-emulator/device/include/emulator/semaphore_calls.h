// Semaphores as free functions.
#pragma once

#include "emulator/noc_write.h"
#include "hostdevcommon/common_values.hpp"

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
inline uintptr_t get_semaphore(uint32_t semaphore_id, TT_LINE_PARAM) {
    return tt_emulator_dataflow()->semaphore_address(semaphore_id, line);
}

// For loops that poll memory: lets the other RISCs run.
inline void invalidate_l1_cache(TT_LINE_PARAM) { tt_emulator_dataflow()->poll(line); }

inline void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TT_LINE_PARAM) {
    tt_emulator_dataflow()->semaphore_wait(reinterpret_cast<uintptr_t>(sem_addr), val, 0, line);
}

inline void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TT_LINE_PARAM) {
    tt_emulator_dataflow()->semaphore_wait(reinterpret_cast<uintptr_t>(sem_addr), val, 1, line);
}

inline void noc_semaphore_set(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) { *sem_addr = val; }

template <bool posted = false>
inline void noc_semaphore_inc(
    uint64_t addr, uint32_t incr, uint8_t noc_id = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC, TT_LINE_PARAM) {
    tt_emulator_dataflow()->semaphore_increment(addr, incr, posted, noc_id, line);
}

template <bool posted = false>
inline void noc_semaphore_inc_multicast(
    uint64_t addr, uint32_t incr, uint32_t num_dests, uint8_t noc_id = noc_index, uint8_t vc = NOC_MULTICAST_WRITE_VC, TT_LINE_PARAM) {
    tt_emulator_dataflow()->semaphore_increment_multicast(addr, incr, num_dests, noc_id, line);
}

inline void noc_semaphore_set_remote(
    std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr, uint8_t noc = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_write(src_local_l1_addr, dst_noc_addr, 4, TT_EMULATOR_ONE_PACKET, noc, 0, line);
}

inline void noc_semaphore_set_multicast(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index,
    uint8_t vc = NOC_MULTICAST_WRITE_VC,
    TT_LINE_PARAM) {
    tt_emulator_dataflow()->noc_multicast(
        src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, linked ? TT_EMULATOR_LINKED : 0, noc, line);
}

inline void noc_semaphore_set_multicast_loopback_src(
    uint32_t src_local_l1_addr,
    uint64_t dst_noc_addr_multicast,
    uint32_t num_dests,
    bool linked = false,
    uint8_t noc = noc_index,
    TT_LINE_PARAM) {
    const uint32_t flags = TT_EMULATOR_LOOPBACK | (linked ? TT_EMULATOR_LINKED : 0);
    tt_emulator_dataflow()->noc_multicast(src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, flags, noc, line);
}

inline void noc_async_atomic_barrier(uint8_t noc_idx = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->atomic_barrier(noc_idx, line);
}

inline void noc_async_full_barrier(uint8_t noc_idx = noc_index, TT_LINE_PARAM) {
    tt_emulator_dataflow()->read_barrier(noc_idx, -1, line);
    tt_emulator_dataflow()->flush_writes(noc_idx, 0, -1, line);
    tt_emulator_dataflow()->flush_writes(noc_idx, TT_EMULATOR_POSTED, -1, line);
    tt_emulator_dataflow()->atomic_barrier(noc_idx, line);
}
