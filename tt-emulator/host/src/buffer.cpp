// Buffers of one device.
#include "handles.h"

namespace tt::tt_metal {

Buffer::Buffer(BufferImpl impl) : impl_(std::make_unique<BufferImpl>(std::move(impl))) {}
Buffer::~Buffer() = default;

bool Buffer::is_allocated() const { return impl_->handle() != nullptr; }
DeviceAddr Buffer::address() const { return tt_emulator_buffer_address(impl_->handle()); }
DeviceAddr Buffer::size() const { return impl_->size(); }
DeviceAddr Buffer::page_size() const { return impl_->page_size(); }
DeviceAddr Buffer::aligned_page_size() const { return tt_emulator_buffer_aligned_page(impl_->handle()); }
uint32_t Buffer::num_pages() const { return static_cast<uint32_t>(size() / page_size()); }
BufferType Buffer::buffer_type() const { return impl_->type(); }
TensorMemoryLayout Buffer::buffer_layout() const { return TensorMemoryLayout::INTERLEAVED; }
bool Buffer::is_dram() const { return impl_->type() == BufferType::DRAM; }
bool Buffer::is_l1() const { return impl_->type() == BufferType::L1; }
BufferImpl* Buffer::impl() { return impl_.get(); }
const BufferImpl* Buffer::impl() const { return impl_.get(); }

}  // namespace tt::tt_metal
