// The line of a call, as a last argument that callers never write: no number converts to it, so a call with too many
// arguments does not compile, as it would not on the real headers.
#pragma once

struct tt_caller_line {
    int line;
    explicit constexpr tt_caller_line(int value) : line(value) {}
    constexpr operator int() const { return line; }
};

#define TT_CALLER_LINE tt_caller_line line = tt_caller_line(__builtin_LINE())
// The same where Metalium's own call has such an argument, which callers may write.
#define TT_CALL_LINE uint32_t line = __builtin_LINE()
