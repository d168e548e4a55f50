//! From the names that upstream's examples use to those of 0.81: a table, applied to the text of every file.
//!
//! Mechanical: no example is known here. What 0.81 has dropped without another name (printing by streams) goes.

/// Includes that moved.
const INCLUDES: &[(&str, &str)] = &[
    ("\"compute_kernel_api.h\"", "\"api/compute/compute_kernel_api.h\""),
    ("\"compute_kernel_api/", "\"api/compute/"),
    ("\"dataflow_api.h\"", "\"api/dataflow/dataflow_api.h\""),
    ("\"debug/dprint.h\"", "\"api/debug/dprint.h\""),
    (
        "\"tools/profiler/kernel_profiler.hpp\"",
        "\"api/debug/kernel_profiler.hpp\"",
    ),
    ("\"experimental/noc.h\"", "\"api/dataflow/noc.h\""),
    ("\"experimental/endpoints.h\"", "\"api/dataflow/endpoints.h\""),
    ("\"experimental/core_local_mem.h\"", "\"api/core_local_mem.h\""),
];

/// Calls with other names; `0`, `1`, `2` are their arguments.
const CALLS: &[(&str, &str)] = &[
    (
        "mm_init",
        "compute_kernel_hw_startup<SrcOrder::Reverse>({0}, {1}, {2}); matmul_init({0}, {1})",
    ),
    ("mm_init_short", "matmul_init({0}, {1})"),
    ("binary_op_init_common", "compute_kernel_hw_startup({0}, {1}, {2})"),
    ("add_tiles_init", "add_init({0}, {1})"),
    ("sub_tiles_init", "sub_init({0}, {1})"),
    ("mul_tiles_init", "mul_init({0}, {1})"),
];

/// Other words. A namespace around the old entry becomes a block that is none.
const WORDS: &[(&str, &str)] = &[
    ("namespace NAMESPACE {", "extern \"C++\" {"),
    ("void MAIN {", "void kernel_main() {"),
    // A folder that upstream moved, and not all of its own examples know.
    (
        "\"tt_metal/programming_examples/matmul_common/",
        "\"tt_metal/programming_examples/matmul/matmul_common/",
    ),
    ("experimental::Noc ", "Noc "),
    ("experimental::UnicastEndpoint", "UnicastEndpoint"),
    ("experimental::CoreLocalMem", "CoreLocalMem"),
];

/// A text with the names of 0.81. Lines keep their numbers.
pub fn of_0_81(text: &str) -> String {
    let mut text = text.to_owned();
    for (old, new) in INCLUDES.iter().chain(WORDS) {
        text = text.replace(old, new);
    }
    for (old, new) in CALLS {
        text = with_call(&text, old, new);
    }
    without_streams(&text)
}

/// Replaces calls of `old`; `new` names their arguments by number.
fn with_call(text: &str, old: &str, new: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(old) {
        let after = &rest[start + old.len()..];
        let is_word = !rest[..start].ends_with(is_part_of_name);
        let arguments = after.strip_prefix('(').and_then(|call| Some((call, call.find(");")?)));
        result.push_str(&rest[..start]);
        match arguments {
            Some((call, end)) if is_word => {
                let mut written = new.to_owned();
                for (index, argument) in call[..end].split(',').enumerate() {
                    written = written.replace(&format!("{{{index}}}"), argument.trim());
                }
                result.push_str(&written);
                rest = &call[end + 1..];
            }
            _ => {
                result.push_str(old);
                rest = after;
            }
        }
    }
    result.push_str(rest);
    result
}

fn is_part_of_name(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_'
}

/// Without statements `DPRINT << ..;`, which 0.81 refuses: it prints by format strings.
fn without_streams(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("DPRINT <<") {
        let before = &rest[..start];
        let line = before.rsplit('\n').next().unwrap_or_default();
        result.push_str(before);
        match rest[start..].find(';') {
            // A statement of its own: not in a comment, nor an argument of another macro, which prints nothing here.
            Some(length) if line.trim().is_empty() => {
                result.extend(rest[start..start + length].chars().filter(|symbol| *symbol == '\n'));
                rest = &rest[start + length..];
            }
            _ => {
                result.push_str("DPRINT <<");
                rest = &rest[start + "DPRINT <<".len()..];
            }
        }
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_includes_are_those_of_0_81_and_lines_stay() {
        let old = "#include \"compute_kernel_api/matmul.h\"\n\
                   void f() {\n    mm_init(a, b, tt::CBIndex::c_16);\n    mm_init_short(a, b);\n\
                   \x20   my_mm_init(a);\n    DPRINT << \"a\"\n        << ENDL();\n    // DPRINT << b;\n    g();\n}\n";
        let new = "#include \"api/compute/matmul.h\"\n\
                   void f() {\n    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, tt::CBIndex::c_16); matmul_init(a, b);\n\
                   \x20   matmul_init(a, b);\n    my_mm_init(a);\n    \n;\n    // DPRINT << b;\n    g();\n}\n";
        assert_eq!(of_0_81(old), new);
        assert_eq!(
            of_0_81("namespace NAMESPACE {\nvoid MAIN {\n}\n}"),
            "extern \"C++\" {\nvoid kernel_main() {\n}\n}"
        );
    }
}
