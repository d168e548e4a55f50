// Tensors, their pages and their shards as ends of transfers.
#pragma once

#include "api/dataflow/noc.h"
#include "api/tensor/tensor_accessor.h"

// A NoC address as either end of a transfer wants it: the local end takes the address in this core's L1.
template <Noc::AddressType address_type>
inline auto tt_emulator_end(uint64_t noc_addr) {
    if constexpr (address_type == Noc::AddressType::LOCAL_L1) {
        return tt_emulator_dataflow()->core_fact(TT_EMULATOR_L1_BASE, 0) + static_cast<uint32_t>(noc_addr);
    } else {
        return noc_addr;
    }
}

struct tt_emulator_page_args {
    uint32_t page_id{};
    uint32_t offset_bytes = 0;
};

struct tt_emulator_shard_args {
    uint32_t shard_id{};
    uint32_t offset_bytes = 0;
};

template <typename Tensor>
struct tt_emulator_page_traits {
    using src_args_type = tt_emulator_page_args;
    using dst_args_type = tt_emulator_page_args;
    template <Noc::AddressType address_type>
    static auto src_addr(const Tensor& src, const Noc& noc, const src_args_type& args, int line) {
        return tt_emulator_end<address_type>(src.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id(), line));
    }
    template <Noc::AddressType address_type>
    static auto dst_addr(const Tensor& dst, const Noc& noc, const dst_args_type& args, int line) {
        return tt_emulator_end<address_type>(dst.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id(), line));
    }
};

template <typename DSpecT>
struct noc_traits_t<TensorAccessor<DSpecT>> : tt_emulator_page_traits<TensorAccessor<DSpecT>> {};

template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : tt_emulator_page_traits<PageView<Accessor>> {};

template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : tt_emulator_page_traits<AbstractTensorAccessorWrapper> {};

template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>> {
    using src_args_type = tt_emulator_shard_args;
    using dst_args_type = tt_emulator_shard_args;
    template <Noc::AddressType address_type>
    static auto src_addr(const ShardView<Accessor>& src, const Noc& noc, const src_args_type& args, int line) {
        return tt_emulator_end<address_type>(src.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id(), line));
    }
    template <Noc::AddressType address_type>
    static auto dst_addr(const ShardView<Accessor>& dst, const Noc& noc, const dst_args_type& args, int line) {
        return tt_emulator_end<address_type>(dst.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id(), line));
    }
};

template <typename PageT>
    requires std::is_base_of_v<tensor_accessor::Page, PageT>
struct noc_traits_t<PageT> {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t offset_bytes = 0;
    };
    template <Noc::AddressType address_type>
    static auto src_addr(const PageT& src, const Noc&, const src_args_type& args, int) {
        return tt_emulator_end<address_type>(src.noc_addr() + args.offset_bytes);
    }
    template <Noc::AddressType address_type>
    static auto dst_addr(const PageT& dst, const Noc&, const dst_args_type& args, int) {
        return tt_emulator_end<address_type>(dst.noc_addr() + args.offset_bytes);
    }
};
