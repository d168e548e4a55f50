// Between row-major matrices and tiles.
#include <tt-metalium/tilize_utils.hpp>
#include <tt_stl/assert.hpp>

namespace {

// Calls `move(row-major index, tiled index)` for the first element of every run of 16.
template <typename Move>
void for_each_run(uint32_t rows, uint32_t columns, Move move) {
    std::size_t tiled = 0;
    for (uint32_t tile_row = 0; tile_row < rows; tile_row += 32) {
        for (uint32_t tile_column = 0; tile_column < columns; tile_column += 32) {
            for (uint32_t face = 0; face < 4; ++face) {
                for (uint32_t row = 0; row < 16; ++row, tiled += 16) {
                    move(std::size_t{tile_row + face / 2 * 16 + row} * columns + tile_column + face % 2 * 16, tiled);
                }
            }
        }
    }
}

template <typename T>
void check(const std::vector<T>& input, uint32_t rows, uint32_t columns) {
    TT_FATAL(rows % 32 == 0 && columns % 32 == 0, "{}x{} is no multiple of 32x32", rows, columns);
    TT_FATAL(input.size() == std::size_t{rows} * columns, "{} elements for {}x{}", input.size(), rows, columns);
}

}  // namespace

template <typename T>
std::vector<T> tilize_nfaces(const std::vector<T>& input, uint32_t m, uint32_t n) {
    check(input, m, n);
    std::vector<T> result(input.size());
    for_each_run(m, n, [&](std::size_t flat, std::size_t tiled) {
        for (std::size_t i = 0; i < 16; ++i) {
            result[tiled + i] = input[flat + i];
        }
    });
    return result;
}

template <typename T>
std::vector<T> untilize_nfaces(const std::vector<T>& input, uint32_t m, uint32_t n) {
    check(input, m, n);
    std::vector<T> result(input.size());
    for_each_run(m, n, [&](std::size_t flat, std::size_t tiled) {
        for (std::size_t i = 0; i < 16; ++i) {
            result[flat + i] = input[tiled + i];
        }
    });
    return result;
}

#define INSTANTIATE(T)                                                                     \
    template std::vector<T> tilize_nfaces<T>(const std::vector<T>&, uint32_t, uint32_t);   \
    template std::vector<T> untilize_nfaces<T>(const std::vector<T>&, uint32_t, uint32_t);
INSTANTIATE(bfloat16)
INSTANTIATE(float)
INSTANTIATE(uint32_t)
INSTANTIATE(uint16_t)
