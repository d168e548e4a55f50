//! The little of ELF that device binaries need: symbols, segments with the limits that the linker script wrote beside
//! them, and the weakening of firmware symbols.
//!
//! All files are 32-bit little-endian. Layout: System V ABI, chapter 4 and 5. The `.segments` section is the linker
//! scripts' own (`runtime/hw/toolchain/*/kernel_*.ld`): three words for each loaded segment, its address, the address it is
//! trimmed to, and how many bytes it may have; the runtime refuses a program that has more.

/// A file that is not such an ELF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotElf(&'static str);

impl std::fmt::Display for NotElf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a 32-bit little-endian ELF file: {}", self.0)
    }
}

const SYMBOL_TABLE: u32 = 2;
const LOADED: u32 = 1;
const ALLOCATED: u32 = 2;
const EXECUTABLE: u32 = 4;
const SYMBOL_BYTES: usize = 16;

const LOCAL: u8 = 0;
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;
/// Types of symbols that are data: none, object, common, thread-local.
const DATA_TYPES: [u8; 4] = [0, 1, 5, 6];

/// A parsed file.
#[derive(Debug)]
pub struct Elf<'a> {
    bytes: &'a [u8],
    sections: Vec<Section>,
    programs: Vec<Program>,
}

#[derive(Debug, Clone, Copy)]
struct Section {
    name: usize,
    kind: u32,
    flags: u32,
    offset: usize,
    size: usize,
    link: usize,
    /// Where the header itself is.
    at: usize,
    info: usize,
}

#[derive(Debug, Clone, Copy)]
struct Program {
    kind: u32,
    address: u32,
    file_size: u32,
    memory_size: u32,
}

/// A loaded segment: what it holds and what it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Bytes in memory.
    pub memory: u32,
    /// Bytes of these that come out of the file.
    pub file: u32,
    /// How many bytes it may have in memory.
    pub limit: u32,
}

impl<'a> Elf<'a> {
    /// Reads the headers of `bytes`.
    ///
    /// # Errors
    /// Where it is no ELF file of this kind, or ends early.
    pub fn parse(bytes: &'a [u8]) -> Result<Elf<'a>, NotElf> {
        if bytes.get(..6) != Some(b"\x7fELF\x01\x01") {
            return Err(NotElf("it begins differently"));
        }
        let mut elf = Elf {
            bytes,
            sections: Vec::new(),
            programs: Vec::new(),
        };
        let (program_at, section_at) = (elf.word(28)? as usize, elf.word(32)? as usize);
        let (program_size, programs) = (elf.half(42)? as usize, elf.half(44)? as usize);
        let (section_size, sections) = (elf.half(46)? as usize, elf.half(48)? as usize);
        for index in 0..programs {
            let at = program_at + index * program_size;
            let program = Program {
                kind: elf.word(at)?,
                address: elf.word(at + 8)?,
                file_size: elf.word(at + 16)?,
                memory_size: elf.word(at + 20)?,
            };
            elf.programs.push(program);
        }
        for index in 0..sections {
            let at = section_at + index * section_size;
            let section = Section {
                name: elf.word(at)? as usize,
                kind: elf.word(at + 4)?,
                flags: elf.word(at + 8)?,
                offset: elf.word(at + 16)? as usize,
                size: elf.word(at + 20)? as usize,
                link: elf.word(at + 24)? as usize,
                info: elf.word(at + 28)? as usize,
                at,
            };
            elf.sections.push(section);
        }
        Ok(elf)
    }

    /// Whether there is a symbol `name` that another file has to bring.
    ///
    /// # Errors
    /// Where the file ends early.
    pub fn lacks(&self, name: &str) -> Result<bool, NotElf> {
        for table in self.sections.iter().filter(|section| section.kind == SYMBOL_TABLE) {
            for at in self.symbols(table) {
                let undefined = self.half(at + 14)? == 0;
                if undefined && self.symbol_name(table, at)? == name.as_bytes() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The loaded segments with their limits, in the order of the file: code, then data.
    ///
    /// # Errors
    /// Where the file ends early or the linker script wrote no limits.
    pub fn segments(&self) -> Result<Vec<Segment>, NotElf> {
        let limits = self.section(b".segments")?.ok_or(NotElf("it has no .segments"))?;
        let mut segments = Vec::new();
        for program in self.programs.iter().filter(|program| program.kind == LOADED) {
            let mut rows = (limits.offset..limits.offset + limits.size).step_by(12);
            let limit = rows.find_map(|at| match self.word(at) {
                Ok(address) if address == program.address => Some(self.word(at + 8)),
                _ => None,
            });
            segments.push(Segment {
                memory: program.memory_size,
                file: program.file_size,
                limit: limit.ok_or(NotElf("a segment has no limit"))??,
            });
        }
        Ok(segments)
    }

    /// The names and sizes of its sections.
    ///
    /// # Errors
    /// Where the file ends early.
    pub fn section_sizes(&self) -> Result<Vec<(String, u32)>, NotElf> {
        let names = self.names()?;
        let sections = self.sections.iter().skip(1);
        sections
            .map(|section| {
                let name = self.text(names.offset + section.name)?;
                Ok((String::from_utf8_lossy(name).into_owned(), section.size as u32))
            })
            .collect()
    }

    /// The file with its symbols weakened, for kernels to be linked against: a kernel that brings data of its own under a
    /// name of the firmware gets its own. Symbols for which `strong` holds stay; other data becomes weak, and everything
    /// else local (`ElfFile::WeakenDataSymbols` of the runtime does this to its firmware).
    ///
    /// # Errors
    /// Where the file ends early.
    pub fn weakened(&self, strong: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, NotElf> {
        let mut out = self.bytes.to_vec();
        for table in self.sections.iter().filter(|section| section.kind == SYMBOL_TABLE) {
            let (mut locals, mut globals) = (Vec::new(), Vec::new());
            let first = table.offset + table.info * SYMBOL_BYTES;
            for at in self.symbols(table).filter(|at| *at >= first) {
                let mut symbol = self.slice(at, SYMBOL_BYTES)?.to_vec();
                let (binding, kind) = (symbol[12] >> 4, symbol[12] & 15);
                let mut becomes = binding;
                if matches!(binding, GLOBAL | WEAK) && !strong(self.symbol_name(table, at)?) {
                    let data = DATA_TYPES.contains(&kind) && self.is_loaded_data(self.half(at + 14)?.into())?;
                    becomes = if data { WEAK } else { LOCAL };
                }
                symbol[12] = becomes << 4 | kind;
                if becomes == LOCAL { &mut locals } else { &mut globals }.push(symbol);
            }
            let count = (table.info + locals.len()) as u32;
            out[table.at + 28..table.at + 32].copy_from_slice(&count.to_le_bytes());
            let symbols = locals.into_iter().chain(globals).flatten();
            for (place, byte) in out[first..].iter_mut().zip(symbols) {
                *place = byte;
            }
        }
        Ok(out)
    }

    /// Whether the section of this index is loaded and not code.
    fn is_loaded_data(&self, index: usize) -> Result<bool, NotElf> {
        let Some(section) = self.sections.get(index) else {
            return Ok(false);
        };
        Ok(section.flags & ALLOCATED != 0 && section.flags & EXECUTABLE == 0)
    }

    fn names(&self) -> Result<&Section, NotElf> {
        let index = usize::from(self.half(50)?);
        self.sections.get(index).ok_or(NotElf("its sections have no names"))
    }

    fn section(&self, name: &[u8]) -> Result<Option<&Section>, NotElf> {
        let names = self.names()?;
        for section in &self.sections {
            if self.text(names.offset + section.name)? == name {
                return Ok(Some(section));
            }
        }
        Ok(None)
    }

    fn symbols(&self, table: &Section) -> impl Iterator<Item = usize> + use<> {
        (table.offset..table.offset + table.size).step_by(SYMBOL_BYTES)
    }

    fn symbol_name(&self, table: &Section, at: usize) -> Result<&'a [u8], NotElf> {
        let strings = self
            .sections
            .get(table.link)
            .ok_or(NotElf("its symbols have no names"))?;
        self.text(strings.offset + self.word(at)? as usize)
    }

    fn text(&self, at: usize) -> Result<&'a [u8], NotElf> {
        let rest = self.bytes.get(at..).ok_or(NotElf("it ends early"))?;
        Ok(rest.split(|byte| *byte == 0).next().unwrap_or_default())
    }

    fn slice(&self, at: usize, length: usize) -> Result<&'a [u8], NotElf> {
        let end = at.checked_add(length).ok_or(NotElf("it ends early"))?;
        self.bytes.get(at..end).ok_or(NotElf("it ends early"))
    }

    fn word(&self, at: usize) -> Result<u32, NotElf> {
        let bytes = self.slice(at, 4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn half(&self, at: usize) -> Result<u16, NotElf> {
        let bytes = self.slice(at, 2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::testing::{elf, program, symbol};

    /// Code, data, a symbol table and its names.
    fn with_symbols() -> Vec<u8> {
        let names = b"\0main\0table\0__fw_export_end\0missing\0".to_vec();
        let symbols = [
            symbol(0, LOCAL, 0, 0),
            symbol(1, GLOBAL, 2, 1),
            symbol(6, GLOBAL, 1, 2),
            symbol(12, GLOBAL, 0, 0xfff1),
            symbol(28, GLOBAL, 0, 0),
        ]
        .concat();
        elf(
            &[
                (".text", 1, ALLOCATED | EXECUTABLE, vec![0; 4], 0, 0),
                (".data", 1, ALLOCATED, vec![0; 4], 0, 0),
                (".symtab", SYMBOL_TABLE, 0, symbols, 4, 1),
                (".strtab", 3, 0, names, 0, 0),
            ],
            &[],
        )
    }

    #[test]
    fn firmware_keeps_exports_weakens_data_and_hides_code() {
        let bytes = with_symbols();
        let weakened = Elf::parse(&bytes)
            .unwrap()
            .weakened(|name| name.starts_with(b"__fw_export_"))
            .unwrap();
        assert_eq!(weakened.len(), bytes.len());
        let elf = Elf::parse(&weakened).unwrap();
        let table = elf.sections[3];
        let found: Vec<(&str, u8)> = elf
            .symbols(&table)
            .map(|at| {
                (
                    std::str::from_utf8(elf.symbol_name(&table, at).unwrap()).unwrap(),
                    weakened[at + 12] >> 4,
                )
            })
            .collect();
        // Local symbols come first, and the table says how many there are.
        let expected = [
            ("", LOCAL),
            ("main", LOCAL),
            ("missing", LOCAL),
            ("table", WEAK),
            ("__fw_export_end", GLOBAL),
        ];
        assert_eq!(found, expected);
        assert_eq!(table.info, 3);
    }

    #[test]
    fn what_is_not_defined_is_lacking() {
        let bytes = with_symbols();
        let elf = Elf::parse(&bytes).unwrap();
        assert_eq!((elf.lacks("missing"), elf.lacks("main")), (Ok(true), Ok(false)));
    }

    #[test]
    fn segments_come_with_the_limits_of_the_linker_script() {
        let bytes = program(300, 12, 256);
        let segments = Elf::parse(&bytes).unwrap().segments().unwrap();
        let sizes: Vec<_> = segments.iter().map(|segment| (segment.memory, segment.limit)).collect();
        assert_eq!(sizes, [(300, 256), (12, 1024)]);
    }

    #[test]
    fn files_that_are_cut_off_are_refused() {
        let bytes = program(4, 4, 4);
        assert!(Elf::parse(b"MZ").is_err());
        // The last two words of the last header, alignment and size of entries, say nothing that is read.
        for length in 0..bytes.len() - 8 {
            let outcome = Elf::parse(&bytes[..length]).and_then(|elf| elf.segments());
            assert!(outcome.is_err(), "{length} of {} bytes", bytes.len());
        }
    }
}
