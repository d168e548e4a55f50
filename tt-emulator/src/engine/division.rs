//! Integer divisions that the host's processor refuses and a RISC-V does not.
//!
//! A RISC-V divides by zero: the quotient has all bits set, the remainder is the dividend; and −2³¹ / −1 is −2³¹ with the
//! remainder 0. An x86-64 raises a fault for both. What its instruction would have left on the chip is put into the registers,
//! and the kernel goes on behind it.
//!
//! Only divisions of 32 bits are: those are the chip's instructions. The compiler of the host may divide numbers known to be
//! small in 8 or 16 bits, where the result of the chip does not fit, and the 64-bit division of the chip is a library's, which
//! promises nothing for zero. These are reported.

/// The registers that a division reads and writes.
pub(super) trait Registers {
    /// A register by its number in the instruction set.
    fn get(&self, number: u8) -> u64;
    fn set(&mut self, number: u8, value: u64);
    /// The address of the interrupted instruction.
    fn instruction(&self) -> u64;
    fn set_instruction(&mut self, address: u64);
}

const RAX: u8 = 0;
const RDX: u8 = 2;
const RSP: u8 = 4;
const RBP: u8 = 5;

/// A division by a 32-bit operand.
struct Division {
    signed: bool,
    divisor: u32,
    /// Bytes of the instruction.
    length: u64,
}

/// Does what the chip does where the interrupted instruction is a refused 32-bit division; gives whether it was one.
///
/// `byte` gives what is at an address. It is asked for what the processor has read of an instruction that it refuses with a divide
/// error: the one at `registers.instruction()`, and its operand.
pub(super) fn divide(registers: &mut impl Registers, byte: impl Fn(u64) -> u8) -> bool {
    let Some(division) = decode(registers, byte) else {
        return false;
    };
    let (low, high) = (registers.get(RAX) as u32, registers.get(RDX) as u32);
    // The dividend has 64 bits for the processor; compilers extend one of 32.
    let extension = if division.signed && (low as i32) < 0 {
        u32::MAX
    } else {
        0
    };
    if high != extension {
        return false;
    }
    let (quotient, remainder) = match division.divisor {
        0 => (u32::MAX, low),
        u32::MAX if division.signed && low == i32::MIN as u32 => (low, 0),
        _ => return false,
    };
    registers.set(RAX, quotient.into());
    registers.set(RDX, remainder.into());
    registers.set_instruction(registers.instruction() + division.length);
    true
}

/// Reads `div` or `idiv` of a 32-bit operand.
fn decode(registers: &impl Registers, byte_at: impl Fn(u64) -> u8) -> Option<Division> {
    let start = registers.instruction();
    let mut at = start;
    let mut next = || {
        let byte = byte_at(at);
        at += 1;
        byte
    };
    let mut byte = next();
    // Prefixes that change nothing here; 0x66 makes it 16 bits, 0x64 and 0x65 address what is a thread's.
    while matches!(byte, 0x2e | 0x36 | 0x3e | 0x26 | 0xf2 | 0xf3) {
        byte = next();
    }
    let extension = if byte & 0xf0 == 0x40 { byte } else { 0 };
    if extension != 0 {
        byte = next();
    }
    let wide = extension & 8 != 0;
    if byte != 0xf7 || wide {
        return None;
    }
    let operand = next();
    let signed = match operand >> 3 & 7 {
        6 => false,
        7 => true,
        _ => return None,
    };
    let (mode, base) = (operand >> 6, operand & 7);
    let extended = |number: u8, bit: u8| number | (extension >> bit & 1) << 3;
    if mode == 3 {
        let divisor = registers.get(extended(base, 0)) as u32;
        return Some(Division {
            signed,
            divisor,
            length: at - start,
        });
    }
    let mut address = 0u64;
    let mut relative = false;
    let mut displacement_bytes = [0, 1, 4][usize::from(mode)];
    if base == RSP {
        let scaled = next();
        let (index, base) = (extended(scaled >> 3 & 7, 1), scaled & 7);
        if index != RSP {
            address = registers.get(index) << (scaled >> 6);
        }
        if base == RBP && mode == 0 {
            displacement_bytes = 4;
        } else {
            address = address.wrapping_add(registers.get(extended(base, 0)));
        }
    } else if base == RBP && mode == 0 {
        (displacement_bytes, relative) = (4, true);
    } else {
        address = registers.get(extended(base, 0));
    }
    let mut displacement = [0; 4];
    for byte in displacement.iter_mut().take(displacement_bytes) {
        *byte = next();
    }
    let displacement = match displacement_bytes {
        1 => i64::from(displacement[0] as i8),
        _ => i64::from(i32::from_le_bytes(displacement)),
    };
    address = address.wrapping_add_signed(displacement);
    if relative {
        address = address.wrapping_add(at);
    }
    let operand = [0, 1, 2, 3].map(|offset| byte_at(address.wrapping_add(offset)));
    Some(Division {
        signed,
        divisor: u32::from_le_bytes(operand),
        length: at - start,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bank {
        registers: [u64; 16],
        instruction: u64,
    }

    impl Registers for Bank {
        fn get(&self, number: u8) -> u64 {
            self.registers[usize::from(number)]
        }
        fn set(&mut self, number: u8, value: u64) {
            self.registers[usize::from(number)] = value;
        }
        fn instruction(&self) -> u64 {
            self.instruction
        }
        fn set_instruction(&mut self, address: u64) {
            self.instruction = address;
        }
    }

    /// Where the instruction is.
    const CODE: u64 = 0x40_1000;

    /// Where four words are, of which the third is 0.
    const WORDS: u64 = 0x7fff_e000;

    /// Whether the instruction was one, which is done then; `code` is it and what lies behind it.
    fn done(bank: &mut Bank, code: &[u8]) -> bool {
        let words = [1u32, 1, 0, 1].map(u32::to_le_bytes);
        divide(bank, |address| {
            let in_code = code.get(address.wrapping_sub(CODE) as usize);
            let in_words = words.as_flattened().get(address.wrapping_sub(WORDS) as usize);
            *in_code.or(in_words).expect("what the processor has read")
        })
    }

    /// Quotient and remainder where the instruction was one, with its operand in every register (or in memory at the place
    /// that all of them hold, 8 bytes on).
    fn run(code: &[u8], dividend: u64, high: u64, operand: u64) -> Option<(u32, u32)> {
        let mut bank = Bank {
            registers: [operand; 16],
            instruction: CODE,
        };
        bank.registers[0] = dividend;
        bank.registers[2] = high;
        done(&mut bank, code).then(|| {
            assert_eq!(bank.instruction, CODE + code.len() as u64);
            (bank.registers[0] as u32, bank.registers[2] as u32)
        })
    }

    #[test]
    fn zero_and_overflow_give_what_a_risc_v_gives() {
        let minus = u64::from(u32::MAX);
        let least = u64::from(i32::MIN as u32);
        // div ecx; idiv ecx; idiv r9d
        assert_eq!(run(&[0xf7, 0xf1], 7, 0, 0), Some((u32::MAX, 7)));
        assert_eq!(run(&[0xf7, 0xf9], 7, 0, 0), Some((u32::MAX, 7)));
        assert_eq!(run(&[0x41, 0xf7, 0xf9], 7, 0, 0), Some((u32::MAX, 7)));
        assert_eq!(
            run(&[0xf7, 0xf9], -7i64 as u32 as u64, minus, 0),
            Some((u32::MAX, -7i32 as u32))
        );
        assert_eq!(run(&[0xf7, 0xf9], least, minus, minus), Some((i32::MIN as u32, 0)));
    }

    #[test]
    fn operands_in_memory_are_found() {
        // idiv dword [rcx + 8]; [rcx + disp32]; [r9 + 8]; [rsp + 8]
        assert_eq!(run(&[0xf7, 0x79, 8], 5, 0, WORDS), Some((u32::MAX, 5)));
        assert_eq!(run(&[0xf7, 0xb9, 8, 0, 0, 0], 5, 0, WORDS), Some((u32::MAX, 5)));
        assert_eq!(run(&[0x41, 0xf7, 0x79, 8], 5, 0, WORDS), Some((u32::MAX, 5)));
        assert_eq!(run(&[0xf7, 0x7c, 0x24, 8], 5, 0, WORDS), Some((u32::MAX, 5)));
        // div dword [rcx + rcx·1 + 8]: half of the place in each.
        let half = WORDS / 2;
        assert_eq!(run(&[0xf7, 0x74, 0x09, 8], 5, 0, half), Some((u32::MAX, 5)));
        // div dword [rip + 2]: the word two bytes behind the instruction, zeros that are read and not run.
        let code = [0xf7, 0x35, 2, 0, 0, 0, 9, 9, 0, 0, 0, 0];
        let mut bank = Bank {
            registers: [9; 16],
            instruction: CODE,
        };
        bank.registers[2] = 0;
        assert!(done(&mut bank, &code));
        assert_eq!((bank.registers[0] as u32, bank.registers[2]), (u32::MAX, 9));
    }

    #[test]
    fn what_a_risc_v_has_no_instruction_for_is_left_alone() {
        // div cl; div cx; div rcx; a 64-bit dividend; a quotient of more than 32 bits; no division
        assert_eq!(run(&[0xf6, 0xf1], 7, 0, 0), None);
        assert_eq!(run(&[0x66, 0xf7, 0xf1], 7, 0, 0), None);
        assert_eq!(run(&[0x48, 0xf7, 0xf1], 7, 0, 0), None);
        assert_eq!(run(&[0xf7, 0xf1], 7, 1, 0), None);
        assert_eq!(run(&[0xf7, 0xf1], 7, 5, 3), None);
        assert_eq!(run(&[0xf7, 0xe1], 7, 0, 0), None);
    }
}
