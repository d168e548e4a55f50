//! What a function does with its arguments, as far as its instructions say so in the order they stand.
//!
//! Instructions come from `objdump`, which every C++ compiler brings. Of a register it is followed whether it holds an
//! argument's address: from the start of the function, through copies, until something else is put there.

use std::collections::BTreeMap;

/// The instructions of a function, up to its last that was listed.
#[derive(Debug, Clone, Default)]
pub struct Function {
    instructions: Vec<Instruction>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Instruction {
    name: String,
    /// As AT&T syntax has them: sources first.
    operands: Vec<String>,
}

/// A place in an argument that a function reads, writes, or takes the address of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Its distance from where the argument begins.
    pub offset: i64,
}

/// Registers of arguments, in their order; the same in 64 bits as the ABI of x86-64 has it.
const ARGUMENTS: [&str; 6] = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"];

/// Registers that a called function may leave as it likes.
const LOST_IN_CALLS: [&str; 9] = ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"];

impl Function {
    /// The function of a listing by `objdump -d --no-show-raw-insn`.
    pub fn of_listing(text: &str) -> Function {
        let lines = text.lines().filter_map(|line| line.split_once(":\t"));
        Function {
            instructions: lines.map(|(_, text)| instruction(text)).collect(),
        }
    }

    /// Whether nothing was listed.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    /// Where in an argument the function reads, writes, or takes an address, in order.
    pub fn accesses(&self, argument: usize) -> Vec<Access> {
        let Some(first) = ARGUMENTS.get(argument) else {
            return Vec::new();
        };
        // What the registers with the argument's address are ahead of it.
        let mut holding = BTreeMap::from([(first.to_string(), 0)]);
        let mut accesses = Vec::new();
        for instruction in &self.instructions {
            for operand in &instruction.operands {
                if let Some((displacement, register)) = memory(operand)
                    && let Some(ahead) = holding.get(&register)
                {
                    let offset = displacement + ahead;
                    accesses.push(Access { offset });
                }
            }
            instruction.follow(&mut holding);
        }
        accesses
    }

    /// How far into the argument the address is that the function gives back, where it does nothing else.
    pub fn returned_offset(&self, argument: usize) -> Option<i64> {
        let [first, second, ..] = self.instructions.as_slice() else {
            return None;
        };
        let held = ARGUMENTS.get(argument)?;
        let [source, target] = first.operands.as_slice() else {
            return None;
        };
        if second.name != "ret" || target != "%rax" {
            return None;
        }
        match first.name.as_str() {
            "lea" => memory(source)
                .filter(|(_, register)| register == held)
                .map(|(offset, _)| offset),
            "mov" => (source.strip_prefix('%') == Some(held)).then_some(0),
            _ => None,
        }
    }

    /// Sizes that the function gives `operator new`.
    pub fn allocations(&self) -> Vec<i64> {
        let pairs = self.instructions.windows(2);
        let allocating = pairs
            .filter(|pair| pair[1].name == "call" && pair[1].operands.iter().any(|operand| operand.contains("_Znwm")));
        let sizes = allocating.filter_map(|pair| match pair[0].operands.as_slice() {
            [size, register] if register == "%edi" => immediate(size),
            _ => None,
        });
        sizes.collect()
    }

    /// By what the function adds to registers, back or forth.
    pub fn steps(&self) -> Vec<i64> {
        let adding = self
            .instructions
            .iter()
            .filter(|instruction| ["add", "sub"].contains(&instruction.name.as_str()));
        let steps = adding.filter_map(|instruction| match instruction.operands.as_slice() {
            [step, register] if register != "%rsp" => immediate(step).map(i64::abs),
            _ => None,
        });
        steps.collect()
    }
}

impl Instruction {
    /// Which registers hold the argument's address after this.
    fn follow(&self, holding: &mut BTreeMap<String, i64>) {
        if self.name.starts_with("call") {
            holding.retain(|register, _| !LOST_IN_CALLS.contains(&register.as_str()));
            return;
        }
        // These write no register that they name, or one that they keep.
        if ["cmp", "test", "push", "j", "bt"]
            .iter()
            .any(|name| self.name.starts_with(name))
        {
            return;
        }
        let Some(target) = self.operands.last().and_then(|operand| operand.strip_prefix('%')) else {
            return;
        };
        let source = self.operands.first().filter(|_| self.operands.len() == 2);
        let ahead = match (self.name.as_str(), source) {
            ("mov", Some(source)) => source
                .strip_prefix('%')
                .and_then(|register| holding.get(register).copied()),
            ("lea", Some(source)) => {
                memory(source).and_then(|(offset, register)| holding.get(&register).map(|ahead| ahead + offset))
            }
            ("add", Some(source)) => immediate(source).and_then(|step| holding.get(target).map(|ahead| ahead + step)),
            _ => None,
        };
        let register = whole(target);
        match ahead {
            Some(ahead) => holding.insert(register, ahead),
            None => holding.remove(&register),
        };
    }
}

/// The 64-bit register that a name is a part of.
fn whole(register: &str) -> String {
    let legacy = |letters: &str| match letters {
        "ax" | "al" | "ah" | "eax" => Some("rax"),
        "bx" | "bl" | "bh" | "ebx" => Some("rbx"),
        "cx" | "cl" | "ch" | "ecx" => Some("rcx"),
        "dx" | "dl" | "dh" | "edx" => Some("rdx"),
        "si" | "sil" | "esi" => Some("rsi"),
        "di" | "dil" | "edi" => Some("rdi"),
        "bp" | "bpl" | "ebp" => Some("rbp"),
        "sp" | "spl" | "esp" => Some("rsp"),
        _ => None,
    };
    let numbered = register.starts_with('r') && register[1..].starts_with(|digit: char| digit.is_ascii_digit());
    match legacy(register) {
        Some(register) => register.to_string(),
        None if numbered => register.trim_end_matches(['d', 'w', 'b']).to_string(),
        None => register.to_string(),
    }
}

/// Displacement and register of `0x10(%rdi)`; none of an address made of two registers.
fn memory(operand: &str) -> Option<(i64, String)> {
    let (displacement, register) = operand.split_once("(%")?;
    let register = register.strip_suffix(')')?;
    if register.contains(',') || displacement.contains('*') {
        return None;
    }
    let displacement = match displacement {
        "" => 0,
        number => hexadecimal(number)?,
    };
    Some((displacement, register.to_string()))
}

fn immediate(operand: &str) -> Option<i64> {
    hexadecimal(operand.strip_prefix('$')?)
}

/// A number as objdump writes it: negative ones with a sign, or as what they are in 64 bits.
fn hexadecimal(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let number = u64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()? as i64;
    Some(if negative { number.wrapping_neg() } else { number })
}

fn instruction(text: &str) -> Instruction {
    // Comments say what an address is.
    let text = text.split('#').next().unwrap_or_default().trim();
    let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut list: Vec<String> = Vec::new();
    let mut depth = 0;
    for letter in operands.trim().chars() {
        match letter {
            ',' if depth == 0 => list.push(String::new()),
            _ => {
                depth += i32::from(letter == '(' || letter == '<') - i32::from(letter == ')' || letter == '>');
                if list.is_empty() {
                    list.push(String::new());
                }
                list.last_mut().into_iter().for_each(|operand| operand.push(letter));
            }
        }
    }
    Instruction {
        name: name.to_string(),
        operands: list.into_iter().map(|operand| operand.trim().to_string()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(listing: &str, argument: usize) -> Vec<i64> {
        let function = Function::of_listing(listing);
        function.accesses(argument).iter().map(|access| access.offset).collect()
    }

    #[test]
    fn an_address_is_followed_through_copies_and_lost_where_something_else_is_put() {
        let listing = "\
 1:\tmov    %rdi,%rbx
 2:\tcall   7ad330 <_Znwm$plt>
 3:\tmov    0x8(%rdi),%eax
 4:\tmov    0x10(%rbx),%rax
 5:\tlea    0x20(%rbx),%rcx
 6:\tvmovups %xmm0,0x8(%rcx)
 7:\tmov    %eax,%ebx
 8:\tmov    0x40(%rbx),%rax
 9:\tret";
        // The load through rdi after a call says nothing, nor does the one through what is now a number.
        assert_eq!(offsets(listing, 0), [0x10, 0x20, 0x28]);
        assert!(offsets(listing, 1).is_empty());
    }

    #[test]
    fn comparisons_and_indexed_addresses_are_told_apart() {
        let listing = " 1:\tcmpb   $0x2,0x218(%rdi)\n 2:\tmov    0x8(%rdi,%rax,1),%ecx\n 3:\tmovzbl (%rdi),%eax\n";
        assert_eq!(offsets(listing, 0), [0x218, 0]);
    }

    #[test]
    fn allocations_and_steps_are_numbers_of_their_instructions() {
        let listing = " 1:\tmov    $0x220,%edi\n 2:\tcall   7ad330 <_Znwm$plt>\n 3:\tmov    $0x18,%edi\n 4:\tcall   9 <f>\n \
                       5:\tadd    $0xffffffffffffffe0,%rdi\n 6:\tsub    $0x60,%rsp\n";
        let function = Function::of_listing(listing);
        assert_eq!(function.allocations(), [0x220]);
        assert_eq!(function.steps(), [0x20]);
    }
}
