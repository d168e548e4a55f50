// A vector whose first elements lie in the object itself, of numbers only.
//
// Objects of it cross the border to the library as members of MeshShape and MeshCoordinate, so its layout is the library's:
// pointer, count, capacity, inline elements. What does not fit comes from malloc, since the other side may free it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace ttsl {

static constexpr std::size_t SMALL_VECTOR_SIZE = 8;

template <typename T, std::size_t PREALLOCATED_SIZE = SMALL_VECTOR_SIZE>
struct SmallVector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>, "vectors of plain numbers only");

    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    using const_iterator = const T*;

    SmallVector() noexcept = default;
    explicit SmallVector(std::size_t count, const T& value = T()) { assign(count, value); }
    template <std::input_iterator It>
    SmallVector(It first, It last) {
        append(first, last);
    }
    SmallVector(std::initializer_list<T> values) : SmallVector(values.begin(), values.end()) {}
    SmallVector(const SmallVector& other) : SmallVector(other.begin(), other.end()) {}
    SmallVector(SmallVector&& other) noexcept { take(other); }
    ~SmallVector() { release(); }

    SmallVector& operator=(const SmallVector& other) {
        if (this != &other) {
            clear();
            append(other.begin(), other.end());
        }
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept {
        if (this != &other) {
            release();
            take(other);
        }
        return *this;
    }

    T* data() noexcept { return static_cast<T*>(data_); }
    const T* data() const noexcept { return static_cast<const T*>(data_); }
    iterator begin() noexcept { return data(); }
    iterator end() noexcept { return data() + size_; }
    const_iterator begin() const noexcept { return data(); }
    const_iterator end() const noexcept { return data() + size_; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }

    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    bool empty() const noexcept { return size_ == 0; }

    T& operator[](std::size_t index) { return data()[index]; }
    const T& operator[](std::size_t index) const { return data()[index]; }
    T& front() { return data()[0]; }
    const T& front() const { return data()[0]; }
    T& back() { return data()[size_ - 1]; }
    const T& back() const { return data()[size_ - 1]; }

    void clear() noexcept { size_ = 0; }
    void reserve(std::size_t count) {
        if (count > capacity_) {
            grow(count);
        }
    }
    void push_back(T value) {
        reserve(std::size_t{size_} + 1);
        data()[size_++] = value;
    }
    void pop_back() { --size_; }
    void resize(std::size_t count, const T& value = T()) {
        const T filling = value;
        reserve(count);
        std::fill(data() + std::min<std::size_t>(size_, count), data() + count, filling);
        size_ = static_cast<Count>(count);
    }
    void assign(std::size_t count, const T& value) {
        const T filling = value;
        clear();
        resize(count, filling);
    }
    template <std::input_iterator It>
    void append(It first, It last) {
        for (; first != last; ++first) {
            push_back(*first);
        }
    }

    bool operator==(const SmallVector& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
    bool operator<(const SmallVector& other) const {
        return std::lexicographical_compare(begin(), end(), other.begin(), other.end());
    }

private:
    using Count = std::conditional_t<sizeof(T) < 4, std::uint64_t, std::uint32_t>;

    bool is_inline() const noexcept { return data_ == inline_; }
    void release() noexcept {
        if (!is_inline()) {
            std::free(data_);
        }
    }
    // Leaves `other` empty; what this had is released already.
    void take(SmallVector& other) noexcept {
        size_ = other.size_;
        if (other.is_inline()) {
            data_ = inline_;
            capacity_ = PREALLOCATED_SIZE;
            std::copy(other.begin(), other.end(), begin());
        } else {
            data_ = other.data_;
            capacity_ = other.capacity_;
            other.data_ = other.inline_;
            other.capacity_ = PREALLOCATED_SIZE;
        }
        other.size_ = 0;
    }
    void grow(std::size_t count) {
        const std::size_t limit = std::numeric_limits<Count>::max();
        if (count > limit) {
            throw std::length_error("SmallVector has no room for that many elements");
        }
        const std::size_t capacity = std::min(limit, std::max(count, 2 * std::size_t{capacity_} + 1));
        void* memory = std::malloc(capacity * sizeof(T));
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        std::copy(begin(), end(), static_cast<T*>(memory));
        release();
        data_ = memory;
        capacity_ = static_cast<Count>(capacity);
    }

    void* data_ = inline_;
    Count size_ = 0;
    Count capacity_ = PREALLOCATED_SIZE;
    alignas(T) std::byte inline_[sizeof(T) * PREALLOCATED_SIZE];
};

}  // namespace ttsl
