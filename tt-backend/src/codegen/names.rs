//! Which names the emitted C++ may give to what users named.

/// Keywords of C++20, and names that the device headers define as macros or that the emitted files use themselves.
const RESERVED: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class \
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype \
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline \
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template \
    this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t \
    while xor xor_eq main kernel_main tt ckernel std MATH PACK UNPACK MAIN NAMESPACE APPROX ALWI FORCE_INLINE \
    DST_FORMAT DST_ACCUM_MODE DST_SYNC_MODE MATH_FIDELITY NOC_INDEX NOC_MODE VALID INVALID ASSERT INFINITY NAN \
    assert errno linux unix";

/// Whether C++ or the device headers keep `name` for themselves.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.split_whitespace().any(|word| word == name) || name.contains("__") || name.starts_with('_')
}

/// A C++ identifier for what a user called `name`: the name itself wherever that is possible.
pub fn identifier(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    if !is_reserved(name) {
        return name.to_string();
    }
    // Neither leading, trailing nor doubled underscores survive, so the result is never reserved itself.
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    format!("user_{}", words.join("_")).trim_end_matches('_').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_unless_cpp_has_them() {
        for (name, expected) in [
            ("by", "by"),
            ("template", "user_template"),
            ("r#match", "match"),
            ("_", "user"),
            ("__x", "user_x"),
            ("tt_arg", "tt_arg"),
            ("tt", "user_tt"),
        ] {
            assert_eq!(identifier(name), expected);
            assert!(!is_reserved(&identifier(name)), "{name}");
        }
    }
}
