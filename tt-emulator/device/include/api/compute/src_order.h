#pragma once

namespace ckernel {

// Which source register each operand of a two-operand call goes to. Matmul wants Reverse: in0 in SrcB, in1 in SrcA.
enum class SrcOrder : uint8_t { Regular = 0, Reverse = 1 };

}  // namespace ckernel
