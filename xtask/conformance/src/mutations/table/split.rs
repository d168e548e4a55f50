//! Mutants of what D2 bind_tensor_accessors binds on its way to the launch.

use crate::mutations::mutant::mutants;

const ARGUMENTS: &str = "passes/e1_finalize_signature/arguments.rs";
const PLAN: &str = "passes/e1_finalize_signature/plan.rs";

mutants! {
    /// A tensor is not where the kernel looks for it. D2 itself only lists accessors: one too few and the code writer has no
    /// name to write, so that nothing is emitted; what the list means for kernel and launch is said in E1.
    D2, D2:
    d2_address_of_last: "every accessor gets the address of the last tensor", ARGUMENTS,
        "let tensor = self.kernel.params[accessor.tensor.index()].name().to_string();\n        self.fixed" =>
        "let tensor = self.kernel.params.iter().rev().find(|param| matches!(param, tt_lang::ir::Param::Tensor(_))).map_or(\"\", |param| param.name()).to_string(); let _ = accessor.tensor;\n        self.fixed";
    d2_address_of_first: "every accessor gets the address of the first tensor", ARGUMENTS,
        "let tensor = self.kernel.params[accessor.tensor.index()].name().to_string();\n        self.fixed" =>
        "let tensor = self.kernel.params.iter().find(|param| matches!(param, tt_lang::ir::Param::Tensor(_))).map_or(\"\", |param| param.name()).to_string(); let _ = accessor.tensor;\n        self.fixed";
    d2_words_reversed: "the compile-time words of the accessors come in reverse order", PLAN,
        "                    .accessors\n                    .iter()\n" => "                    .accessors\n                    .iter().rev()\n";
    d2_words_missing: "the last accessor gets no compile-time words", PLAN,
        "                    .accessors\n                    .iter()\n" =>
        "                    .accessors\n                    .iter().skip(1)\n";
    d2_arguments_reversed: "the launch hands over the runtime arguments in reverse order", PLAN,
        "                    .args\n                    .iter()\n" => "                    .args\n                    .iter().rev()\n";
}
