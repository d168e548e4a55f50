// Tensor accessors as ends of transfers.
#pragma once

#include "api/dataflow/noc.h"
#include "api/tensor/tensor_accessor.h"

template <typename DSpecT>
struct noc_traits_t<TensorAccessor<DSpecT>> {
    struct src_args_type {
        uint32_t page_id{};
        uint32_t offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t page_id{};
        uint32_t offset_bytes = 0;
    };
    template <Noc::AddressType address_type>
    static uint64_t src_addr(const TensorAccessor<DSpecT>& src, const Noc& noc, const src_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::NOC, "the emulator's tensor pages are not local memory");
        return src.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id(), line);
    }
    template <Noc::AddressType address_type>
    static uint64_t dst_addr(const TensorAccessor<DSpecT>& dst, const Noc& noc, const dst_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::NOC, "the emulator's tensor pages are not local memory");
        return dst.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id(), line);
    }
};
