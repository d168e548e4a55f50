// Extents of any rank, which can be counted from the end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <tt_stl/small_vector.hpp>
#include <tt_stl/span.hpp>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

namespace detail {

[[noreturn]] void normalized_index_out_of_range(int32_t index, int32_t full_size, int32_t orig_size);

}  // namespace detail

// Shapes of fewer than four dimensions are kept with ones in front of them: -1 is always the last dimension, and an index may
// go below the first that was given.
class ShapeBase {
public:
    using coord_type = uint32_t;
    using Container = ttsl::SmallVector<uint32_t>;

    ShapeBase() { init(); }
    explicit ShapeBase(const Container& shape) : value_(shape) { init(); }
    explicit ShapeBase(Container&& shape) : value_(std::move(shape)) { init(); }
    explicit ShapeBase(std::initializer_list<uint32_t> ilist) : value_(ilist) { init(); }
    template <std::size_t N>
    explicit ShapeBase(const std::array<uint32_t, N>& arr) : value_(arr.begin(), arr.end()) {
        init();
    }
    explicit ShapeBase(ttsl::Span<const uint32_t> span) : value_(span.begin(), span.end()) { init(); }

    bool operator==(const ShapeBase& other) const;
    bool operator==(const Container& other) const;
    bool operator==(const std::vector<uint32_t>& other) const;

    uint32_t operator[](int32_t index) const { return value_[position(index)]; }
    uint32_t& operator[](int32_t index) { return value_[position(index)]; }

    Container::const_iterator cbegin() const;
    Container::const_iterator cend() const;
    Container::const_iterator begin() const;
    Container::const_iterator end() const;
    ttsl::Span<const uint32_t> view() const;
    bool empty() const;

protected:
    void init();
    std::size_t size() const;

    Container value_;

private:
    friend struct emulator::Layout;

    std::size_t position(int32_t index) const {
        const auto given = static_cast<int32_t>(original_size_);
        const auto kept = static_cast<int32_t>(value_.size());
        if (index < -kept || index >= given) {
            detail::normalized_index_out_of_range(index, kept, given);
        }
        return static_cast<std::size_t>(index < 0 ? index + kept : index + kept - given);
    }

    // How many dimensions were given.
    std::size_t original_size_ = 0;
};

}  // namespace tt::tt_metal
