// Pushes pages that it never reserved: `pages` of them, into a ring that nobody empties.
void kernel_main() {
    cb_push_back(tt::CB::c_in0, get_compile_time_arg_val(0));
}
