fn main() {
    tt_build::compile()
}
