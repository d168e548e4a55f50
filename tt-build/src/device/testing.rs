//! Small ELF files for tests.

/// A section: name, type, flags, contents, link, info.
pub type Part<'a> = (&'a str, u32, u32, Vec<u8>, u32, u32);

/// A 32-bit little-endian ELF file with these sections (numbered from 1) and loaded segments (address, bytes in the file,
/// bytes in memory). The names of sections come in a section after them.
pub fn elf(sections: &[Part<'_>], segments: &[(u32, u32, u32)]) -> Vec<u8> {
    let mut names = vec![0];
    let mut bytes = vec![0; 52 + 32 * segments.len()];
    let mut headers = vec![[0u32; 10]];
    let all = sections.iter().cloned().chain([("names", 3, 0, Vec::new(), 0, 0)]);
    for (name, kind, flags, mut contents, link, info) in all {
        let at = names.len() as u32;
        names.extend(name.bytes().chain([0]));
        if name == "names" {
            contents = names.clone();
        }
        headers.push([
            at,
            kind,
            flags,
            0,
            bytes.len() as u32,
            contents.len() as u32,
            link,
            info,
            1,
            0,
        ]);
        bytes.extend(contents);
    }
    let (section_at, count) = (bytes.len() as u32, headers.len() as u16);
    bytes.extend(headers.iter().flatten().flat_map(|word| word.to_le_bytes()));
    bytes[..6].copy_from_slice(b"\x7fELF\x01\x01");
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(28, &52u32.to_le_bytes());
    put(32, &section_at.to_le_bytes());
    for (at, half) in [
        (42, 32),
        (44, segments.len() as u16),
        (46, 40),
        (48, count),
        (50, count - 1),
    ] {
        put(at, &half.to_le_bytes());
    }
    for (index, (address, file, memory)) in segments.iter().enumerate() {
        for (at, word) in [(0, 1), (8, *address), (16, *file), (20, *memory)] {
            put(52 + 32 * index + at, &u32::to_le_bytes(word));
        }
    }
    bytes
}

/// A program of the device with this much code and data, where `code_limit` bytes of code fit.
pub fn program(code: u32, data: u32, code_limit: u32) -> Vec<u8> {
    let limits = [0x1000, 0x1000, code_limit, 0xffb0_0000, 0xffb0_0000, 1024u32];
    let limits = limits.iter().flat_map(|word| word.to_le_bytes()).collect();
    elf(
        &[(".segments", 1, 0, limits, 0, 0)],
        &[(0x1000, code, code), (0xffb0_0000, data, data)],
    )
}

/// An entry of a symbol table.
pub fn symbol(name: u32, binding: u8, kind: u8, section: u16) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    bytes[..4].copy_from_slice(&name.to_le_bytes());
    bytes[12] = binding << 4 | kind;
    bytes[14..].copy_from_slice(&section.to_le_bytes());
    bytes
}
