#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"

#define WORD(address) (*(volatile uint32_t*)(address))

// Follows the address that the host knows of a buffer in L1, which is the same on every core, in every spelling; then tells
// another core by a word of that buffer, and waits for its word.
void kernel_main() {
    const uint32_t l1 = get_arg_val<uint32_t>(0);
    const uint32_t bytes = get_arg_val<uint32_t>(1);
    const uint32_t mine = get_arg_val<uint32_t>(2);
    const uint32_t x = get_arg_val<uint32_t>(3), y = get_arg_val<uint32_t>(4);

    uint32_t* words = (uint32_t*)l1;
    words[0] = mine;
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1 + 4) = mine + 1;
    WORD(l1 + 8) = mine + 2;
    CoreLocalMem<volatile uint32_t> memory(l1);
    memory[3] = mine + 3;
    auto at = static_cast<uint64_t>(l1);
    *((volatile tt_l1_ptr uint16_t*)at + 8) = mine + 4;
    *(volatile uint8_t*)(uint32_t*)(at + 20) = mine + 5;

    // Null is no address, what points to no integer stays, and so does what stands in a string: (uint32_t*)l1.
    uint32_t local = 7;
    const bool stays = (uint32_t*)&local == &local && (uint32_t*)0 == nullptr && *(const char*)"(uint32_t*)l1" == '(';
    words[6] = stays ? mine + 6 : 0;

    // The buffer lies at the end of L1: so does this pointer, which nobody follows.
    uint32_t* const end = (uint32_t*)(l1 + bytes);
    uint32_t count = 0;
    for (auto word = (uint32_t*)l1; word != end; ++word) {
        ++count;
    }
    words[7] = count;

    // The other core's word comes before this one's; to wait for it is to read memory again and again.
    const uint32_t sent = l1 + bytes - 16, received = l1 + bytes - 32;
    WORD(sent) = mine;
    noc_async_write(sent, get_noc_addr(x, y, received), 4);
    noc_async_write_barrier();
    while (WORD(received) == 0) {
    }
}
