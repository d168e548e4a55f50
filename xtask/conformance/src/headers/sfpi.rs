//! A stand-in for `sfpi.h` and `lltt.h`, the vendor's vector library, which neither the wheel nor Debian has.
//!
//! It parses and generates no code: with it a compiler that knows no vector instructions checks every name, argument and
//! type of the compute API around them, and accepts any vector expression. Vector values are one template, functions take
//! anything, and which names there are (functions, modes, constants of instructions) is read off the runtime's headers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Groups of modes, which the headers name `Group::Mode`.
const GROUPS: [&str; 9] = [
    "RoundMode",
    "ExponentMode",
    "MantissaMode",
    "ShiftMode",
    "LutSign",
    "FractionalHalf",
    "DataLayout",
    "LRegs",
    "RecipMode",
];

/// Functions that the headers also call without their namespace, so that they cannot be told from others there.
const FUNCTIONS: [&str; 22] = [
    "abs",
    "approx_exp",
    "exman8",
    "exman9",
    "float_to_fp16a",
    "float_to_fp16b",
    "float_to_int16",
    "float_to_int8",
    "float_to_uint16",
    "float_to_uint8",
    "int32_to_float",
    "int32_to_int8",
    "int32_to_uint8",
    "lut2",
    "lut2_sign",
    "lut_sign",
    "lz",
    "rand",
    "subvec_shflshr1",
    "swap",
    "vec_min_max",
    "vec_swap",
];

/// Names of the stand-in's own text, which must not be declared again.
const DEFINED: [&str; 5] = ["as", "convert", "reinterpret", "min_max", "round"];

/// Vector types.
const VECTORS: [&str; 15] = [
    "vFloat",
    "vInt",
    "vUInt",
    "vSMag",
    "vMag",
    "vFloat16a",
    "vFloat16b",
    "vUInt16",
    "vUInt8",
    "vSMag16",
    "vSMag8",
    "vLut8si",
    "vLut16si",
    "vLut16ss",
    "vLut16ii",
];

/// `lltt.h`: the recording and replaying of instructions.
pub const LLTT: &str = "// Stand-in that parses: see xtask/conformance.
#pragma once
#include <cstdint>
namespace lltt {
enum ExecBool : bool { NoExec, Exec };
template <ExecBool = NoExec> inline void record(unsigned, unsigned) {}
inline void replay(unsigned, unsigned) {}
constexpr std::uint32_t replay_insn(unsigned start, unsigned length) { return 0x04000000u | start << 14 | length << 4; }
}
";

/// What does not depend on the headers. `Any` is what a function gives back: it becomes whatever is wanted.
const CORE: &str = "// Stand-in that parses and generates nothing: see xtask/conformance.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include \"lltt.h\"
#define sfpi_inline inline __attribute__((always_inline))
namespace sfpi {
struct Operand {};
template <class T> constexpr bool is_operand = std::is_base_of_v<Operand, std::remove_cv_t<std::remove_reference_t<T>>>;
template <class... T> using where_any = std::enable_if_t<(is_operand<T> || ...), int>;
template <int Kind> struct Vector;
// Becomes a vector by itself; everything else is turned into one by the vector's constructor.
struct Convertible : Operand {};
template <class T> constexpr bool is_plain = std::is_base_of_v<Operand, T> && !std::is_base_of_v<Convertible, T>;
struct Any : Convertible {
    template <int Kind> operator Vector<Kind>() const { return {}; }
    Any operator-() const { return {}; }
    Any operator~() const { return {}; }
    Any operator!() const { return {}; }
    int get() const { return 0; }
};
struct sFloat16a : Operand { template <class T> explicit constexpr sFloat16a(T) {} };
struct sFloat16b : Operand { template <class T> explicit constexpr sFloat16b(T) {} };
template <int Kind> struct Vector : Operand {
    Vector() {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T> || is_plain<T>, int> = 0>
    Vector(const T &) {}
    template <class A, class B> Vector(const A &, const B &) {}
    template <class T> Vector &operator+=(const T &) { return *this; }
    template <class T> Vector &operator-=(const T &) { return *this; }
    template <class T> Vector &operator*=(const T &) { return *this; }
    template <class T> Vector &operator&=(const T &) { return *this; }
    template <class T> Vector &operator|=(const T &) { return *this; }
    template <class T> Vector &operator^=(const T &) { return *this; }
    template <class T> Vector &operator<<=(const T &) { return *this; }
    template <class T> Vector &operator>>=(const T &) { return *this; }
    Vector operator++() { return *this; }
    Vector operator++(int) { return *this; }
    Vector operator--() { return *this; }
    Vector operator--(int) { return *this; }
    Vector operator-() const { return *this; }
    Vector operator+() const { return *this; }
    Vector operator~() const { return *this; }
    int get() const { return 0; }
};
struct vBool : Operand {
    vBool() {}
    template <class T> vBool(const T &) {}
    operator Vector<1>() const { return {}; }
};
// A register of the destination file or of the processor: read and written as any vector.
template <int> struct Register : Convertible {
    Register(int = 0) {}
    Register(const Register &) = default;
    void operator=(const Register &) const {}
    template <class T> void operator=(const T &) const {}
    template <int Kind> operator Vector<Kind>() const { return {}; }
    template <auto...> Register mode(int = 0) const { return *this; }
    Vector<0> operator-() const { return {}; }
    void in_use() const {}
};
template <class T> struct Value { using type = Vector<0>; };
template <int Kind> struct Value<Vector<Kind>> { using type = Vector<Kind>; };
template <class A, class B>
using Result = std::conditional_t<std::is_same_v<typename Value<A>::type, A>, A, typename Value<B>::type>;
#define SFPI_ARITHMETIC(op) \\
    template <class A, class B, where_any<A, B> = 0> Result<A, B> operator op(const A &, const B &) { return {}; }
SFPI_ARITHMETIC(+) SFPI_ARITHMETIC(-) SFPI_ARITHMETIC(*) SFPI_ARITHMETIC(/) SFPI_ARITHMETIC(&)
SFPI_ARITHMETIC(|) SFPI_ARITHMETIC(^) SFPI_ARITHMETIC(<<) SFPI_ARITHMETIC(>>)
#undef SFPI_ARITHMETIC
#define SFPI_COMPARISON(op) template <class A, class B, where_any<A, B> = 0> vBool operator op(const A &, const B &) { return {}; }
SFPI_COMPARISON(==) SFPI_COMPARISON(!=) SFPI_COMPARISON(<) SFPI_COMPARISON(>) SFPI_COMPARISON(<=) SFPI_COMPARISON(>=)
#undef SFPI_COMPARISON
inline vBool operator&&(const vBool &, const vBool &) { return {}; }
inline vBool operator||(const vBool &, const vBool &) { return {}; }
inline vBool operator!(const vBool &) { return {}; }
template <int Which> struct File {
    template <class T> Register<Which> operator[](T) const { return {}; }
    void operator++() const {}
    void operator++(int) const {}
    void operator+=(int) const {}
};
inline constexpr File<0> dst_reg{};
inline constexpr File<1> l_reg{};
inline const Register<2> vConst0, vConst1, vConstNeg1, vConst0p8373, vConstTileId, vConstFloatPrgm0, vConstFloatPrgm1,
    vConstFloatPrgm2, vConstIntPrgm0, vConstIntPrgm1, vConstIntPrgm2;
struct lreg_pressure { lreg_pressure() {} };
template <class T, class... A> T as(const A &...) { return {}; }
template <class T, class... A> T convert(const A &...) { return {}; }
template <class T, class A> T reinterpret(const A &) { return {}; }
template <class A, class B, class... C> std::pair<A, B> min_max(const A &, const B &, const C &...) { return {}; }
template <class A> std::pair<Vector<0>, Vector<1>> round(const A &) { return {}; }
struct Condition { template <class T> Condition(const T &) {} };
#define v_if(x) { { [[maybe_unused]] sfpi::Condition sfpi_condition(x); } {
#define v_elseif(x) } { [[maybe_unused]] sfpi::Condition sfpi_condition(x); } {
#define v_else } {
#define v_endif } }
#define v_block {
#define v_and(x) { [[maybe_unused]] sfpi::Condition sfpi_condition(x); }
#define v_endblock }
constexpr unsigned SFP_DESTREG_STRIDE = 2, SFP_LREG_COUNT = 8;
";

/// The text of `sfpi.h` for the headers of the runtime at `root`.
///
/// # Errors
/// Where they cannot be read.
pub fn header(root: &Path) -> Result<String, String> {
    let mut names = Names::default();
    for folder in [
        "tt_metal/hw/ckernels/wormhole_b0",
        "tt_metal/hw/ckernels/blackhole",
        "tt_metal/tt-llk/tt_llk_wormhole_b0",
        "tt_metal/tt-llk/tt_llk_blackhole",
        "tt_metal/tt-llk/common",
        "tt_metal/hw/inc",
    ] {
        names.collect(&root.join(folder))?;
    }
    let mut text = CORE.to_string();
    for (kind, name) in VECTORS.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "using {name} = Vector<{kind}>;");
    }
    for group in GROUPS {
        let modes: Vec<&str> = names
            .modes
            .get(group)
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let _ = writeln!(text, "enum class {group} {{ {} }};", modes.join(", "));
    }
    let functions = names.functions.iter().map(String::as_str).chain(FUNCTIONS);
    for name in functions.collect::<BTreeSet<_>>() {
        if !DEFINED.contains(&name) {
            let _ = writeln!(text, "template <class... A> Any {name}(A &&...) {{ return {{}}; }}");
        }
    }
    for name in names.constants.difference(&names.macros) {
        let _ = writeln!(text, "constexpr unsigned {name} = 0;");
    }
    text.push_str("}\n");
    for name in &names.builtins {
        let _ = writeln!(
            text,
            "template <class... A> sfpi::Any {name}(A &&...) {{ return {{}}; }}"
        );
    }
    Ok(text)
}

/// The names that headers use of the library.
#[derive(Debug, Default)]
struct Names {
    modes: BTreeMap<String, BTreeSet<String>>,
    functions: BTreeSet<String>,
    constants: BTreeSet<String>,
    builtins: BTreeSet<String>,
    /// What the headers define themselves.
    macros: BTreeSet<String>,
}

impl Names {
    fn collect(&mut self, folder: &Path) -> Result<(), String> {
        let cannot = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
        for entry in std::fs::read_dir(folder).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            if path.is_dir() {
                self.collect(&path)?;
            } else if path
                .extension()
                .is_some_and(|extension| extension == "h" || extension == "hpp")
            {
                let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
                self.read(&String::from_utf8_lossy(&bytes));
            }
        }
        Ok(())
    }

    fn read(&mut self, text: &str) {
        for line in text.lines() {
            if let Some(rest) = line.trim_start().strip_prefix("#define ") {
                self.macros.insert(identifier(rest).to_string());
            }
            let code = line.split("//").next().unwrap_or_default();
            let mut rest = code;
            let mut scope = "";
            while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
                let word = identifier(&rest[start..]);
                let after = &rest[start + word.len()..];
                self.word(scope, word, after);
                let qualifies = after.starts_with("::");
                scope = if qualifies { word } else { "" };
                rest = if qualifies { &after[2..] } else { after };
                if qualifies && !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                    scope = "";
                }
            }
        }
    }

    fn word(&mut self, scope: &str, word: &str, after: &str) {
        let small = word.starts_with(|c: char| c.is_ascii_lowercase());
        if GROUPS.contains(&scope) {
            self.modes
                .entry(scope.to_string())
                .or_default()
                .insert(word.to_string());
        } else if scope == "sfpi" && small && after.starts_with('(') {
            let vector = VECTORS.contains(&word) || ["vBool", "sFloat16a", "sFloat16b"].contains(&word);
            if !vector {
                self.functions.insert(word.to_string());
            }
        } else if is_constant(word) {
            self.constants.insert(word.to_string());
        } else if word.starts_with("__builtin_rvtt_sfp") && word.len() > "__builtin_rvtt_sfp".len() {
            self.builtins.insert(word.to_string());
        }
    }
}

/// Constants of instructions: `SFPIADD_MOD1_CC_NONE`.
fn is_constant(word: &str) -> bool {
    let Some((instruction, rest)) = word.split_once('_') else {
        return false;
    };
    instruction.starts_with("SFP")
        && instruction.len() > 3
        && !word.ends_with('_')
        && ["MOD", "IMM", "RND", "DEST", "ADDR"]
            .iter()
            .any(|kind| rest.starts_with(kind))
}

/// The identifier at the start of `text`.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_off_code_and_not_off_comments() {
        let mut names = Names::default();
        names.read(
            "#define SFPADD_MOD1_OWN 3\n\
             x = sfpi::exexp(y) + sfpi::vInt(1); // sfpi::forgotten(z)\n\
             TTI_SFPIADD(0, sfpi::SFPIADD_MOD1_CC_NONE, SFPADD_MOD1_OWN, sfpi::RoundMode::Nearest);\n\
             f<DataLayout::I32>(__builtin_rvtt_sfpmad(a, b));",
        );
        assert_eq!(names.functions, BTreeSet::from(["exexp".to_string()]));
        assert_eq!(names.modes["RoundMode"], BTreeSet::from(["Nearest".to_string()]));
        assert_eq!(names.modes["DataLayout"], BTreeSet::from(["I32".to_string()]));
        assert_eq!(names.builtins, BTreeSet::from(["__builtin_rvtt_sfpmad".to_string()]));
        let constants: Vec<_> = names.constants.difference(&names.macros).collect();
        assert_eq!(constants, ["SFPIADD_MOD1_CC_NONE"]);
    }
}
