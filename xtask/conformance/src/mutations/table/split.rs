//! Mutants of D1 split_kernel, and of what D2 bind_tensor_accessors binds on its way to the launch.

use crate::mutations::mutant::mutants;

const D1_FILE: &str = "passes/d1_split_kernel.rs";
const ARGUMENTS: &str = "passes/e1_finalize_signature/arguments.rs";
const PLAN: &str = "passes/e1_finalize_signature/plan.rs";

mutants! {
    /// Reader, compute and writer do not agree.
    D1, D1:
    d1_read_unreserved: "the reader fills pages that it has not reserved", D1_FILE,
        "                    Step::Reserve(*buffer),\n                    Step::Read(*buffer, region.clone())," =>
        "                    Step::Read(*buffer, region.clone()),";
    d1_read_unpublished: "the reader never hands over what it has read", D1_FILE,
        "region.clone()),\n                    Step::Publish(*buffer)," => "region.clone()),";
    d1_publish_before_read: "the reader hands over pages before it fills them", D1_FILE,
        "                    Step::Read(*buffer, region.clone()),\n                    Step::Publish(*buffer)," =>
        "                    Step::Publish(*buffer),\n                    Step::Read(*buffer, region.clone()),";
    d1_read_twice: "the reader reads every block twice", D1_FILE,
        "out.reader.extend(steps.map(Node::Leaf));" =>
        "out.reader.extend(steps.clone().map(Node::Leaf)); out.reader.extend(steps.map(Node::Leaf));";
    d1_not_received: "compute does not wait for what the reader reads", D1_FILE,
        "out.compute.push(Node::Leaf(Step::Receive(*buffer)));" => "";
    d1_not_written: "the writer writes nothing", D1_FILE,
        "out.writer.push(Node::Leaf(Step::Write(*buffer, region.clone())));" => "";
    d1_written_by_reader: "the reader writes what compute hands to the writer", D1_FILE,
        "out.writer.push(Node::Leaf(Step::Write(*buffer, region.clone())));" =>
        "out.reader.push(Node::Leaf(Step::Write(*buffer, region.clone())));";
    d1_release_by_compute: "compute gives back the pages that the writer writes", D1_FILE,
        "BufferKind::Outgoing => out.writer.push(release)," => "BufferKind::Outgoing => out.compute.push(release),";
    d1_writer_keeps_pages: "the writer never gives pages back", D1_FILE,
        "BufferKind::Outgoing => out.writer.push(release)," => "BufferKind::Outgoing => drop(release),";
    d1_compute_keeps_pages: "compute never gives pages back", D1_FILE,
        "BufferKind::Incoming | BufferKind::Local | BufferKind::Zeros => out.compute.push(release)," =>
        "BufferKind::Incoming | BufferKind::Local | BufferKind::Zeros => drop(release),";
    d1_release_by_reader: "the reader gives back the pages that compute uses", D1_FILE,
        "BufferKind::Incoming | BufferKind::Local | BufferKind::Zeros => out.compute.push(release)," =>
        "BufferKind::Incoming | BufferKind::Local | BufferKind::Zeros => out.reader.push(release),";
    d1_result_unreserved: "compute packs into pages that it has not reserved", D1_FILE,
        "out.compute.push(Node::Leaf(Step::Reserve(section.pack.buffer)));" => "";
    d1_result_unpublished: "compute never hands over what it has packed", D1_FILE,
        "out.compute.push(Node::Leaf(Step::Publish(section.pack.buffer)));" => "";
    d1_published_before_packed: "compute hands over pages before it packs them", D1_FILE,
        "out.compute.push(Node::Leaf(Step::Reserve(section.pack.buffer)));" =>
        "out.compute.push(Node::Leaf(Step::Reserve(section.pack.buffer)));\n\
         out.compute.push(Node::Leaf(Step::Publish(section.pack.buffer)));";
    d1_old_version_kept: "the version that a section replaces is never given back", D1_FILE,
        "out.compute.push(Node::Leaf(Step::Release(buffer)));" => "let _ = buffer;";
    d1_received_by_compute: "compute waits for its own result in place of the writer", D1_FILE,
        "BufferKind::Outgoing => out.writer.push(receive)," => "BufferKind::Outgoing => out.compute.push(receive),";
    d1_local_not_received: "compute uses its own earlier results without waiting for them", D1_FILE,
        "BufferKind::Local | BufferKind::Incoming | BufferKind::Zeros => out.compute.push(receive)," =>
        "BufferKind::Local | BufferKind::Incoming | BufferKind::Zeros => drop(receive),";
    d1_accumulator_unreserved: "an accumulator in L1 is packed into without a reservation", D1_FILE,
        "out.compute.push(Node::Leaf(Step::Reserve(*buffer)));\n                let inner" => "let inner";
    d1_accumulator_unpublished: "an accumulator in L1 is never handed over", D1_FILE,
        "out.compute.push(Node::Leaf(Step::Publish(*buffer)));" => "";
    d1_writer_without_loops: "the writer runs the bodies of loops once", D1_FILE,
        "wrap(inner.writer, &mut out.writer);\n            }\n            FlowKind::If" =>
        "out.writer.extend(inner.writer);\n            }\n            FlowKind::If";
    d1_loops_start_at_one: "loops leave out their first iteration", D1_FILE,
        "start: Expr::user(start)," => "start: Expr::binary(\"+\", Expr::user(start), Expr::Int(1)),";
    d1_reader_takes_other_branch: "the reader takes the other branch than compute", D1_FILE,
        "wrap(then.reader, otherwise.reader, &mut out.reader);" => "wrap(otherwise.reader, then.reader, &mut out.reader);";
    d1_writer_without_branch: "the writer takes both branches", D1_FILE,
        "wrap(then.writer, otherwise.writer, &mut out.writer);" =>
        "out.writer.extend(then.writer); out.writer.extend(otherwise.writer);";
    d1_branch_dropped: "what stands in the else branch is dropped for compute", D1_FILE,
        "wrap(then.compute, otherwise.compute, &mut out.compute);" => "wrap(then.compute, Vec::new(), &mut out.compute);";
}

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
