// A program: kernels, circular buffers, semaphores.
#pragma once

#include <cstdint>
#include <memory>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

namespace detail {
class ProgramImpl;
}  // namespace detail

using ProgramId = std::uint64_t;

class Program {
public:
    Program();
    ~Program() noexcept;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    Program(Program&& other) noexcept;
    Program& operator=(Program&& other) noexcept;

    // A number of the caller's own for the program, in profiles.
    void set_runtime_id(ProgramId id);
    ProgramId get_runtime_id() const;

    detail::ProgramImpl& impl() { return *internal_; }
    const detail::ProgramImpl& impl() const { return *internal_; }

private:
    friend struct emulator::Layout;

    // Runtime arguments change under a const program, as in the real API.
    std::shared_ptr<detail::ProgramImpl> internal_;
};

}  // namespace tt::tt_metal
