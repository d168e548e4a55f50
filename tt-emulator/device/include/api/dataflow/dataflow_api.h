// Data movement kernels: arguments, circular buffers, transfers, semaphores, tensor accessors.
#pragma once

#ifdef COMPILE_FOR_TRISC
#error "api/dataflow/dataflow_api.h is for data movement kernels"
#endif

#include "api/compile_time_args.h"
#include "api/debug/assert.h"
#include "emulator/arguments.h"
#include "emulator/circular_buffer_calls.h"
#include "emulator/interleaved.h"
#include "emulator/noc_address.h"
#include "emulator/noc_read.h"
#include "emulator/noc_write.h"
#include "emulator/semaphore_calls.h"
#include "api/tensor/tensor_accessor.h"
#include "hostdevcommon/common_values.hpp"
#include "noc/noc_parameters.h"

// Address in L1 where the next page is written.
inline uint32_t get_write_ptr(uint32_t operand, TT_LINE_PARAM) { return tt_emulator_dataflow()->cb_write_pointer(operand, line); }

// Address in L1 of the page at the front.
inline uint32_t get_read_ptr(uint32_t operand, TT_LINE_PARAM) { return tt_emulator_dataflow()->cb_read_pointer(operand, line); }

template <typename AddrGen>
[[deprecated("Use <typename AddrGen> noc_async_read_page instead.")]]
inline void noc_async_read_tile(
    const uint32_t id,
    const AddrGen& addrgen,
    uint32_t dst_local_l1_addr,
    uint32_t offset = 0,
    uint8_t noc = noc_index,
    TT_LINE_PARAM) {
    noc_async_read_page(id, addrgen, dst_local_l1_addr, offset, noc, line);
}

template <typename AddrGen>
[[deprecated("Use <typename AddrGen> noc_async_write_page instead.")]]
inline void noc_async_write_tile(
    const uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr, uint8_t noc = noc_index, TT_LINE_PARAM) {
    noc_async_write_page(id, addrgen, src_local_l1_addr, 0, 0, noc, line);
}

// A whole shard of a tensor.
template <typename DSpec>
inline void noc_async_read_shard(
    const uint32_t shard_id,
    const TensorAccessor<DSpec>& s,
    std::uint32_t dst_local_l1_addr,
    uint8_t noc = noc_index,
    TT_LINE_PARAM) {
    const uint32_t bytes = s.get_aligned_page_size() * static_cast<uint32_t>(s.dspec().shard_volume());
    noc_async_read(s.get_shard_noc_addr(shard_id, 0, noc, line), dst_local_l1_addr, bytes, noc, NOC_UNICAST_WRITE_VC, line);
}

template <typename DSpec, bool posted = false>
inline void noc_async_write_shard(
    const uint32_t shard_id,
    const TensorAccessor<DSpec>& s,
    std::uint32_t src_local_l1_addr,
    uint8_t noc = noc_index,
    TT_LINE_PARAM) {
    const uint32_t bytes = s.get_aligned_page_size() * static_cast<uint32_t>(s.dspec().shard_volume());
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
        src_local_l1_addr, s.get_shard_noc_addr(shard_id, 0, noc, line), bytes, noc, NOC_UNICAST_WRITE_VC, line);
}
