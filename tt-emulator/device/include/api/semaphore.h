// A semaphore as an object.
#pragma once

#include "api/dataflow/noc.h"

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
    template <ProgrammableCoreType>
    friend class Semaphore;

public:
    explicit Semaphore(std::uint32_t semaphore_id, TT_LINE_PARAM) : address_(get_semaphore<core_type>(semaphore_id, line)) {}

    void up(std::uint32_t value) { *word() = *word() + value; }

    void down(std::uint32_t value, TT_LINE_PARAM) {
        noc_semaphore_wait_min(word(), value, line);
        *word() = *word() - value;
    }

    void wait(std::uint32_t value, TT_LINE_PARAM) const { noc_semaphore_wait(word(), value, line); }
    void wait_min(std::uint32_t value, TT_LINE_PARAM) const { noc_semaphore_wait_min(word(), value, line); }
    void set(std::uint32_t value) { noc_semaphore_set(word(), value); }

    std::uint32_t value(TT_LINE_PARAM) const {
        invalidate_l1_cache(line);
        return *word();
    }

    void up(
        const Noc& noc,
        std::uint32_t noc_x,
        std::uint32_t noc_y,
        std::uint32_t value,
        std::uint8_t vc = NOC_UNICAST_WRITE_VC,
        TT_LINE_PARAM) {
        noc_semaphore_inc(::get_noc_addr(noc_x, noc_y, address_, noc.get_noc_id()), value, noc.get_noc_id(), vc, line);
    }

    template <ProgrammableCoreType dst_core_type = core_type>
    void relay_unicast(
        const Noc& noc, const Semaphore<dst_core_type>& dst_sem, std::uint32_t noc_x, std::uint32_t noc_y, TT_LINE_PARAM) {
        noc_semaphore_set_remote(address_, ::get_noc_addr(noc_x, noc_y, dst_sem.address_, noc.get_noc_id()), noc.get_noc_id(), line);
    }

    template <NocOptions opts = NocOptions::DEFAULT>
    void set_multicast(
        const Noc& noc,
        std::uint32_t noc_x_start,
        std::uint32_t noc_y_start,
        std::uint32_t noc_x_end,
        std::uint32_t noc_y_end,
        std::uint32_t num_dests,
        bool linked = false,
        TT_LINE_PARAM) {
        relay_multicast<opts>(noc, *this, noc_x_start, noc_y_start, noc_x_end, noc_y_end, num_dests, linked, line);
    }

    template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType dst_core_type = core_type>
    void relay_multicast(
        const Noc& noc,
        const Semaphore<dst_core_type>& dst_sem,
        std::uint32_t noc_x_start,
        std::uint32_t noc_y_start,
        std::uint32_t noc_x_end,
        std::uint32_t noc_y_end,
        std::uint32_t num_dests,
        bool linked = false,
        TT_LINE_PARAM) {
        const std::uint8_t id = noc.get_noc_id();
        const std::uint64_t to = ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, dst_sem.address_, id);
        if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC)) {
            noc_semaphore_set_multicast_loopback_src(address_, to, num_dests, linked, id, line);
        } else {
            noc_semaphore_set_multicast(address_, to, num_dests, linked, id, NOC_MULTICAST_WRITE_VC, line);
        }
    }

    void inc_multicast(
        const Noc& noc,
        std::uint32_t noc_x_start,
        std::uint32_t noc_y_start,
        std::uint32_t noc_x_end,
        std::uint32_t noc_y_end,
        std::uint32_t value,
        std::uint32_t num_dests,
        TT_LINE_PARAM) {
        const std::uint8_t id = noc.get_noc_id();
        const std::uint64_t to = ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address_, id);
        noc_semaphore_inc_multicast(to, value, num_dests, id, NOC_MULTICAST_WRITE_VC, line);
    }

private:
    volatile tt_l1_ptr std::uint32_t* word() const { return reinterpret_cast<volatile tt_l1_ptr std::uint32_t*>(address_); }

    std::uintptr_t address_;
};
