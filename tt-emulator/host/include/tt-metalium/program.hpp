// A program: kernels, circular buffers, semaphores.
#pragma once

#include <memory>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

namespace detail {
class ProgramImpl;
}  // namespace detail

class Program {
public:
    Program();
    ~Program() noexcept;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    Program(Program&& other) noexcept;
    Program& operator=(Program&& other) noexcept;

    detail::ProgramImpl& impl() { return *internal_; }
    const detail::ProgramImpl& impl() const { return *internal_; }

private:
    friend struct emulator::Layout;

    // Runtime arguments change under a const program, as in the real API.
    std::shared_ptr<detail::ProgramImpl> internal_;
};

}  // namespace tt::tt_metal
