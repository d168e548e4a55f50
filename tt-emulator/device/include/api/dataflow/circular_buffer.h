// A circular buffer as an object, for all kernels.
#pragma once

#ifdef COMPILE_FOR_TRISC
#include "emulator/circular_buffer_calls.h"
#else
#include "api/dataflow/noc.h"
#endif

class CircularBuffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };

    explicit CircularBuffer(uint32_t cb_id) : cb_id_(cb_id) {}

    uint32_t get_cb_id() const { return cb_id_; }

    void reserve_back(int32_t num_pages, TT_LINE_PARAM) { cb_reserve_back(cb_id_, num_pages, line); }
    void push_back(int32_t num_pages, TT_LINE_PARAM) { cb_push_back(cb_id_, num_pages, line); }
    void wait_front(int32_t num_pages, TT_LINE_PARAM) { cb_wait_front(cb_id_, num_pages, line); }
    void pop_front(int32_t num_pages, TT_LINE_PARAM) { cb_pop_front(cb_id_, num_pages, line); }

#ifndef COMPILE_FOR_TRISC
    uint32_t get_tile_size(TT_LINE_PARAM) const { return ::get_tile_size(cb_id_, line); }
    uint32_t get_tile_hw(TT_LINE_PARAM) const { return ::get_tile_hw(cb_id_, line); }
    DataFormat get_dataformat(TT_LINE_PARAM) const { return ::get_dataformat(cb_id_, line); }
    bool pages_reservable_at_back(int32_t num_pages, TT_LINE_PARAM) const { return cb_pages_reservable_at_back(cb_id_, num_pages, line); }
    bool pages_available_at_front(int32_t num_pages, TT_LINE_PARAM) const { return cb_pages_available_at_front(cb_id_, num_pages, line); }
#endif

    uint32_t get_write_ptr(TT_LINE_PARAM) const { return tt_emulator_dataflow()->cb_write_pointer(cb_id_, line); }
    uint32_t get_read_ptr(TT_LINE_PARAM) const { return tt_emulator_dataflow()->cb_read_pointer(cb_id_, line); }

private:
    uint32_t cb_id_;
};

#ifndef COMPILE_FOR_TRISC

template <CircularBuffer::AddrSelector AddrSel>
struct CircularBufferView {
    const CircularBuffer& cb;
    explicit constexpr CircularBufferView(const CircularBuffer& c) : cb(c) {}
};

template <CircularBuffer::AddrSelector AddrSel>
constexpr auto use(const CircularBuffer& cb) {
    return CircularBufferView<AddrSel>(cb);
}

// Offsets of both ends of a transfer with a circular buffer.
struct tt_emulator_cb_endpoint {
    struct src_args_type {
        uint32_t offset_bytes{};
    };
    struct dst_args_type {
        uint32_t offset_bytes{};
    };
    struct dst_args_mcast_type {
        uint32_t noc_x_start{};
        uint32_t noc_y_start{};
        uint32_t noc_x_end{};
        uint32_t noc_y_end{};
        uint32_t offset_bytes{};
    };

    static uint64_t multicast(const Noc& noc, const dst_args_mcast_type& args, uint32_t address) {
        return ::get_noc_multicast_addr(
            args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, address + args.offset_bytes, noc.get_noc_id());
    }
};

template <>
struct noc_traits_t<CircularBuffer> : tt_emulator_cb_endpoint {
    template <Noc::AddressType address_type>
    static uint32_t src_addr(const CircularBuffer& src, const Noc&, const src_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "CircularBuffer without mcast range can only be used as L1 source");
        return src.get_read_ptr(line) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint32_t dst_addr(const CircularBuffer& dst, const Noc&, const dst_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "CircularBuffer without mcast range can only be used as L1 source");
        return dst.get_write_ptr(line) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint64_t dst_addr_mcast(const CircularBuffer& dst, const Noc& noc, const dst_args_mcast_type& args, int line) {
        static_assert(address_type == Noc::AddressType::NOC, "CircularBuffer with mcast range cannot be used as L1 source");
        return multicast(noc, args, dst.get_write_ptr(line));
    }
};

template <CircularBuffer::AddrSelector AddrSel>
struct noc_traits_t<CircularBufferView<AddrSel>> : tt_emulator_cb_endpoint {
    static uint32_t local_addr(const CircularBufferView<AddrSel>& view, int line) {
        return AddrSel == CircularBuffer::AddrSelector::READ_PTR ? view.cb.get_read_ptr(line) : view.cb.get_write_ptr(line);
    }
    template <Noc::AddressType address_type>
    static uint32_t src_addr(const CircularBufferView<AddrSel>& view, const Noc&, const src_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "CircularBuffer without mcast range can only be used as L1 source");
        return local_addr(view, line) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint32_t dst_addr(const CircularBufferView<AddrSel>& view, const Noc&, const dst_args_type& args, int line) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "CircularBuffer without mcast range can only be used as L1 source");
        return local_addr(view, line) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint64_t dst_addr_mcast(const CircularBufferView<AddrSel>& view, const Noc& noc, const dst_args_mcast_type& args, int line) {
        static_assert(address_type == Noc::AddressType::NOC, "CircularBuffer with mcast range cannot be used as L1 source");
        return multicast(noc, args, local_addr(view, line));
    }
};

#endif  // !COMPILE_FOR_TRISC
