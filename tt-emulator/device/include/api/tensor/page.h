// Pages of a tensor one after the other, with their addresses.
#pragma once

#include "emulator/types.h"

namespace tensor_accessor {

class Page {
public:
    Page(uint64_t noc_addr, uint32_t global_page_id) : noc_addr_(noc_addr), global_page_id_(global_page_id) {}
    uint64_t noc_addr() const { return noc_addr_; }
    uint32_t page_id() const { return global_page_id_; }

private:
    uint64_t noc_addr_;
    uint32_t global_page_id_;
};

// A page of a shard: knows also its number there.
class ShardPage : public Page {
public:
    ShardPage(uint64_t noc_addr, uint32_t global_page_id, uint32_t shard_id, uint32_t page_in_shard) :
        Page(noc_addr, global_page_id), shard_id_(shard_id), page_in_shard_(page_in_shard) {}
    uint32_t shard_id() const { return shard_id_; }
    uint32_t page_in_shard() const { return page_in_shard_; }

private:
    uint32_t shard_id_;
    uint32_t page_in_shard_;
};

// Iteration over what `Range::at(index)` makes, skipping what `Range::is_there` denies.
template <typename Range, typename Item>
class tt_emulator_iterator {
public:
    tt_emulator_iterator(const Range& range, uint32_t index) : range_(range), index_(index) { skip(); }

    Item operator*() const { return range_.at(index_); }
    struct arrow {
        Item item;
        const Item* operator->() const { return &item; }
    };
    arrow operator->() const { return {**this}; }
    tt_emulator_iterator& operator++() { return *this += 1; }
    tt_emulator_iterator operator++(int) {
        tt_emulator_iterator before = *this;
        *this += 1;
        return before;
    }
    tt_emulator_iterator& operator+=(std::ptrdiff_t steps) {
        index_ += static_cast<uint32_t>(steps);
        skip();
        return *this;
    }
    tt_emulator_iterator operator+(std::ptrdiff_t steps) const {
        tt_emulator_iterator after = *this;
        after += steps;
        return after;
    }
    Item operator[](std::ptrdiff_t steps) const { return *(*this + steps); }
    uint32_t page_id() const { return (**this).page_id(); }

    bool operator==(const tt_emulator_iterator& other) const { return index_ == other.index_; }
    auto operator<=>(const tt_emulator_iterator& other) const { return index_ <=> other.index_; }

private:
    void skip() {
        while (index_ < range_.end_ && !range_.is_there(index_)) {
            ++index_;
        }
        index_ = index_ < range_.end_ ? index_ : range_.end_;
    }

    Range range_;
    uint32_t index_;
};

template <typename Accessor>
class Pages {
public:
    using iterator = tt_emulator_iterator<Pages, Page>;

    Pages(const Accessor& accessor, uint32_t start, uint32_t end, uint8_t noc) :
        end_(end), accessor_(&accessor), start_(start), noc_(noc) {}
    iterator begin() const { return iterator(*this, start_); }
    iterator end() const { return iterator(*this, end_); }
    Page at(uint32_t index) const { return {accessor_->get_noc_addr(index, 0, noc_), index}; }
    bool is_there(uint32_t) const { return true; }

    uint32_t end_;

private:
    const Accessor* accessor_;
    uint32_t start_;
    uint8_t noc_;
};

template <typename Accessor>
class ShardPages {
public:
    using iterator = tt_emulator_iterator<ShardPages, ShardPage>;

    ShardPages(const Accessor& accessor, uint32_t shard_id, uint32_t start, uint32_t end, uint8_t noc) :
        end_(end), accessor_(&accessor), shard_id_(shard_id), start_(start), noc_(noc) {}
    iterator begin() const { return iterator(*this, start_); }
    iterator end() const { return iterator(*this, end_); }
    ShardPage at(uint32_t index) const {
        const uint64_t address = accessor_->get_shard_noc_addr(shard_id_, index * accessor_->get_aligned_page_size(), noc_);
        return {address, page(index).id, shard_id_, index};
    }
    bool is_there(uint32_t index) const { return page(index).inside; }

    uint32_t end_;

private:
    struct place {
        uint32_t id;
        bool inside;
    };

    // The number in the tensor of a page of the shard, and whether the tensor has it.
    place page(uint32_t index) const {
        const auto& dspec = accessor_->dspec();
        place result{0, true};
        uint32_t shard = shard_id_;
        for (uint32_t i = dspec.rank(); i-- > 0;) {
            const uint32_t coordinate =
                shard % dspec.shard_grid()[i] * dspec.shard_shape()[i] + index % dspec.shard_shape()[i];
            shard /= dspec.shard_grid()[i];
            index /= dspec.shard_shape()[i];
            result.id += coordinate * dspec.tensor_strides()[i];
            result.inside = result.inside && coordinate < dspec.tensor_shape()[i];
        }
        return result;
    }

    const Accessor* accessor_;
    uint32_t shard_id_;
    uint32_t start_;
    uint8_t noc_;
};

}  // namespace tensor_accessor
