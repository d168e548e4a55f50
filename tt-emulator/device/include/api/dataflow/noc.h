// Transfers in object form.
#pragma once

#include "api/dataflow/dataflow_api.h"

template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "NoC transactions are not supported for this type");
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1u << 0,
    POSTED = 1u << 1,
    CUSTOM_VC = 1u << 2,
    MCAST_INCL_SRC = 1u << 3,
    INLINE_L1 = 1u << 4,
    INLINE_REG = 1u << 5,
};

constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept {
    return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}

constexpr bool has_flag(NocOptions opts, NocOptions flag) noexcept {
    return (static_cast<uint32_t>(opts) & static_cast<uint32_t>(flag)) != 0;
}

struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

class Noc {
public:
    enum class AddressType { NOC, LOCAL_L1 };
    static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

private:
    template <typename T>
    using src_args_t = typename noc_traits_t<T>::src_args_type;
    template <typename T>
    using dst_args_t = typename noc_traits_t<T>::dst_args_type;
    template <typename T>
    using dst_args_mcast_t = typename noc_traits_t<T>::dst_args_mcast_type;

    static constexpr uint32_t one_packet(uint32_t max_page_size) { return max_page_size <= NOC_MAX_BURST_SIZE ? TT_EMULATOR_ONE_PACKET : 0; }

public:
    Noc() : noc_id_(noc_index) {}
    explicit Noc(uint8_t noc_id) : noc_id_(noc_id) {}

    uint8_t get_noc_id() const { return noc_id_; }

    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y) const {
        return virtual_x == my_x[noc_id_] && virtual_y == my_y[noc_id_];
    }
    bool is_local_addr(const uint64_t noc_addr) const {
        return is_local_bank(tt_emulator_x(noc_addr), tt_emulator_y(noc_addr));
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_read(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {},
        TT_LINE_PARAM) const {
        const auto* api = tt_emulator_dataflow();
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            api->set_read_transaction(noc_id_, noc_opts.trid, line);
        }
        const uint32_t destination = noc_traits_t<Dst>::template dst_addr<AddressType::LOCAL_L1>(dst, *this, dst_args, line);
        if constexpr (requires { src.emulator_accessor(); src_args.page_id; }) {
            if (one_packet(max_page_size) == 0 || size_bytes <= NOC_MAX_BURST_SIZE) {
                const tt_emulator_accessor from = src.emulator_accessor();
                api->read_page(
                    from.base, from.page_bytes, from.dram, src_args.page_id, src_args.offset_bytes, size_bytes, destination, noc_id_, line);
                return;
            }
        }
        const uint64_t source = noc_traits_t<Src>::template src_addr<AddressType::NOC>(src, *this, src_args, line);
        api->noc_read(source, destination, size_bytes, one_packet(max_page_size), noc_id_, line);
    }

    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    void set_async_read_state(
        const Src& src, uint32_t size_bytes, const src_args_t<Src>& src_args, const NocOptVals& noc_opts = {}, TT_LINE_PARAM) const {
        const uint64_t source = noc_traits_t<Src>::template src_addr<AddressType::NOC>(src, *this, src_args, line);
        tt_emulator_dataflow()->noc_set_state(0, source, one_packet(max_page_size) != 0 ? size_bytes : 0, noc_id_, line);
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            tt_emulator_dataflow()->set_read_transaction(noc_id_, noc_opts.trid, line);
        }
    }

    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src, typename Dst>
    void async_read_with_state(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {},
        TT_LINE_PARAM) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            tt_emulator_dataflow()->set_read_transaction(noc_id_, noc_opts.trid, line);
        }
        const uint32_t source = static_cast<uint32_t>(noc_traits_t<Src>::template src_addr<AddressType::NOC>(src, *this, src_args, line));
        const uint32_t destination = noc_traits_t<Dst>::template dst_addr<AddressType::LOCAL_L1>(dst, *this, dst_args, line);
        const uint32_t flags = one_packet(max_page_size);
        tt_emulator_dataflow()->noc_with_state(0, source, destination, flags != 0 ? 0 : size_bytes, flags, noc_id_, 0, line);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_write(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {},
        TT_LINE_PARAM) const {
        const auto* api = tt_emulator_dataflow();
        constexpr uint32_t posted = has_flag(opts, NocOptions::POSTED) ? TT_EMULATOR_POSTED : 0;
        const uint32_t source = noc_traits_t<Src>::template src_addr<AddressType::LOCAL_L1>(src, *this, src_args, line);
        const uint32_t trid = has_flag(opts, NocOptions::TXN_ID) ? noc_opts.trid : 0;
        if constexpr (requires { dst.emulator_accessor(); dst_args.page_id; }) {
            if (trid == 0 && (one_packet(max_page_size) == 0 || size_bytes <= NOC_MAX_BURST_SIZE)) {
                const tt_emulator_accessor to = dst.emulator_accessor();
                api->write_page(
                    to.base, to.page_bytes, to.dram, dst_args.page_id, dst_args.offset_bytes, size_bytes, source, posted, noc_id_, line);
                return;
            }
        }
        const uint64_t destination = noc_traits_t<Dst>::template dst_addr<AddressType::NOC>(dst, *this, dst_args, line);
        api->noc_write(source, destination, size_bytes, posted | one_packet(max_page_size), noc_id_, trid, line);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_write_multicast(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        uint32_t num_dsts,
        const src_args_t<Src>& src_args,
        const dst_args_mcast_t<Dst>& dst_args,
        bool linked = false,
        TT_LINE_PARAM) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "Mcasts with transaction id are not supported yet");
        static_assert(!has_flag(opts, NocOptions::POSTED), "Mcasts with posted transactions are not supported");
        constexpr bool loopback = has_flag(opts, NocOptions::MCAST_INCL_SRC);
        const uint32_t source = noc_traits_t<Src>::template src_addr<AddressType::LOCAL_L1>(src, *this, src_args, line);
        const uint64_t destination = noc_traits_t<Dst>::template dst_addr_mcast<AddressType::NOC>(dst, *this, dst_args, line);
        const uint32_t flags = (loopback ? TT_EMULATOR_LOOPBACK : one_packet(max_page_size)) | (linked ? TT_EMULATOR_LINKED : 0);
        tt_emulator_dataflow()->noc_multicast(source, destination, size_bytes, num_dsts, flags, noc_id_, line);
    }

    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Dst>
    void set_async_write_state(
        const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& dst_args, const NocOptVals& noc_opts = {}, TT_LINE_PARAM) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "NocOptions::TXN_ID is not supported for set_async_write_state");
        const uint64_t destination = noc_traits_t<Dst>::template dst_addr<AddressType::NOC>(dst, *this, dst_args, line);
        tt_emulator_dataflow()->noc_set_state(1, destination, one_packet(max_page_size) != 0 ? size_bytes : 0, noc_id_, line);
    }

    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src, typename Dst>
    void async_write_with_state(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {},
        TT_LINE_PARAM) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "NocOptions::TXN_ID is not supported for async_write_with_state");
        const uint32_t source = noc_traits_t<Src>::template src_addr<AddressType::LOCAL_L1>(src, *this, src_args, line);
        const uint32_t destination = static_cast<uint32_t>(noc_traits_t<Dst>::template dst_addr<AddressType::NOC>(dst, *this, dst_args, line));
        const uint32_t flags = one_packet(max_page_size) | (has_flag(opts, NocOptions::POSTED) ? TT_EMULATOR_POSTED : 0);
        tt_emulator_dataflow()->noc_with_state(
            1, destination, source, one_packet(max_page_size) != 0 ? 0 : size_bytes, flags, noc_id_, 0, line);
    }

    template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
    void inline_dw_write(
        const Dst& dst,
        uint32_t val,
        const dst_args_t<Dst>& dst_args,
        uint8_t be = 0xF,
        const NocOptVals& noc_opts = {},
        TT_LINE_PARAM) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "TxnId is not supported for inline_dw_write");
        const uint64_t destination = noc_traits_t<Dst>::template dst_addr<AddressType::NOC>(dst, *this, dst_args, line);
        tt_emulator_dataflow()->noc_inline_write(
            destination, val, has_flag(opts, NocOptions::POSTED) ? TT_EMULATOR_POSTED : 0, noc_id_, line);
    }

    // Whether the reads of a transaction have arrived. They have by the time the question is asked.
    bool is_read_trid_flushed(uint32_t trid, TT_LINE_PARAM) const {
        tt_emulator_dataflow()->read_barrier(noc_id_, static_cast<int32_t>(trid), line);
        return true;
    }

    template <NocOptions opts = NocOptions::DEFAULT>
    void async_read_barrier(const NocOptVals& noc_opts = {}, TT_LINE_PARAM) const {
        const int32_t trid = has_flag(opts, NocOptions::TXN_ID) ? static_cast<int32_t>(noc_opts.trid) : -1;
        tt_emulator_dataflow()->read_barrier(noc_id_, trid, line);
    }

    template <NocOptions opts = NocOptions::DEFAULT>
    void async_write_barrier(const NocOptVals& noc_opts = {}, TT_LINE_PARAM) const {
        const int32_t trid = has_flag(opts, NocOptions::TXN_ID) ? static_cast<int32_t>(noc_opts.trid) : -1;
        tt_emulator_dataflow()->flush_writes(noc_id_, 0, trid, line);
    }

    template <NocOptions opts = NocOptions::DEFAULT>
    void async_writes_flushed(const NocOptVals& noc_opts = {}, TT_LINE_PARAM) const {
        const int32_t trid = has_flag(opts, NocOptions::TXN_ID) ? static_cast<int32_t>(noc_opts.trid) : -1;
        tt_emulator_dataflow()->flush_writes(
            noc_id_, TT_EMULATOR_UNTIL_LEFT | (has_flag(opts, NocOptions::POSTED) ? TT_EMULATOR_POSTED : 0), trid, line);
    }

    void async_atomic_barrier(TT_LINE_PARAM) const { tt_emulator_dataflow()->atomic_barrier(noc_id_, line); }

    void async_full_barrier(TT_LINE_PARAM) const { noc_async_full_barrier(noc_id_, line); }

    // Fills a local range with zeros, by reads from the core's own words of zero.
    template <typename Dst>
    void async_write_zeros(const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& args = {}, TT_LINE_PARAM) const {
        uint32_t destination = noc_traits_t<Dst>::template dst_addr<AddressType::LOCAL_L1>(dst, *this, args, line);
        const uint64_t zeros = get_noc_addr(MEM_ZEROS_BASE, noc_id_);
        while (size_bytes > 0) {
            const uint32_t part = size_bytes < MEM_ZEROS_SIZE ? size_bytes : MEM_ZEROS_SIZE;
            tt_emulator_dataflow()->noc_read(zeros, destination, part, 0, noc_id_, line);
            destination += part;
            size_bytes -= part;
        }
    }

    void write_zeros_l1_barrier(TT_LINE_PARAM) const { tt_emulator_dataflow()->read_barrier(noc_id_, -1, line); }

private:
    uint8_t noc_id_;
};

#include "api/dataflow/endpoints.h"
