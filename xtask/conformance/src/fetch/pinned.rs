//! Versions and checksums of everything that is fetched.

/// The version of `ttnn` that all of this is about.
pub const TTNN_VERSION: &str = "0.81.1";

/// A file with its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pinned {
    /// Its name.
    pub file: &'static str,
    /// SHA-256 of its contents, in hexadecimal digits.
    pub sha256: &'static str,
}

/// The wheel.
pub const WHEEL: Pinned = Pinned {
    file: "ttnn-0.81.1-cp310-cp310-manylinux_2_34_x86_64.whl",
    sha256: "ed49aa1ee3f39a87cbee21f35c9133544879ebf537b1788f6f033681ab504503",
};

/// A Debian package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The file, as `apt-get download` names it.
    pub file: Pinned,
    /// What of it is unpacked, as patterns of `tar`; everything where there is none.
    pub parts: &'static [&'static str],
}

/// GCC for bare-metal RISC-V of Debian 12 for x86-64 with what it needs: assembler and linker, a C library, and the C++
/// library's headers, which Debian has for the machine's own compiler only.
pub const PACKAGES: [Package; 4] = [
    Package {
        name: "gcc-riscv64-unknown-elf",
        version: "12.2.0-14+deb12u1+11+b2",
        file: Pinned {
            file: "gcc-riscv64-unknown-elf_12.2.0-14+deb12u1+11+b2_amd64.deb",
            sha256: "6117b2328a58059977e04e9938fffa2016cc88a2dc0ca70d1efeeea0c7b4dace",
        },
        parts: &[
            "./usr/bin/riscv64-unknown-elf-[cg]*",
            "./usr/lib/gcc/riscv64-unknown-elf/12.2.0/cc1plus",
            "./usr/lib/gcc/riscv64-unknown-elf/12.2.0/cc1",
            "./usr/lib/gcc/riscv64-unknown-elf/12.2.0/collect2",
            "./usr/lib/gcc/riscv64-unknown-elf/12.2.0/liblto_plugin.so",
            "./usr/lib/gcc/riscv64-unknown-elf/12.2.0/include*",
            "./usr/lib/gcc/riscv64-unknown-elf/12.2.0/rv32im/ilp32/*",
        ],
    },
    Package {
        name: "binutils-riscv64-unknown-elf",
        version: "2.40-2+4+b1",
        file: Pinned {
            file: "binutils-riscv64-unknown-elf_2.40-2+4+b1_amd64.deb",
            sha256: "e3b54bd849891b1afb83b9751efe671e35d6267ce791ea9b01205b616276021c",
        },
        parts: &[],
    },
    Package {
        name: "picolibc-riscv64-unknown-elf",
        version: "1.8-1",
        file: Pinned {
            file: "picolibc-riscv64-unknown-elf_1.8-1_all.deb",
            sha256: "0dadfbd9eb6a6c2ce5e0b1466da03d5c99b901f5977f0bc17cc60c0a42fcee66",
        },
        parts: &[
            "./usr/lib/picolibc/riscv64-unknown-elf/include/*",
            "./usr/lib/picolibc/riscv64-unknown-elf/lib/rv32im/ilp32/*",
        ],
    },
    Package {
        name: "libstdc++-12-dev",
        version: "12.2.0-14+deb12u1",
        file: Pinned {
            file: "libstdc++-12-dev_12.2.0-14+deb12u1_amd64.deb",
            sha256: "d28def6c23630432b57cb38a4c2fd67a79d4e0484027386ca6e8d6005c3d7a73",
        },
        parts: &["./usr/include/*"],
    },
];

/// The library fmt of Debian 12, headers alone: host programs of TT-Metalium print with it.
pub const FMT: Package = Package {
    name: "libfmt-dev",
    version: "9.1.0+ds1-2",
    file: Pinned {
        file: "libfmt-dev_9.1.0+ds1-2_amd64.deb",
        sha256: "c8fa00dd0269e6eda9fd06668df3d720de4b5a1f647dcd3c6e0ba63f0cbf2150",
    },
    parts: &["./usr/include/fmt/*"],
};

/// Google's protobuf of Debian 12, which one of upstream's programming examples links beside Metalium.
pub const PROTOBUF: Package = Package {
    name: "libprotobuf-dev",
    version: "3.21.12-3",
    file: Pinned {
        file: "libprotobuf-dev_3.21.12-3_amd64.deb",
        sha256: "bf0781e953328be40e377cb4fca877e3cd54931629fba75e82fe602e742ee3b9",
    },
    parts: &[
        "./usr/include/google/protobuf/*",
        "./usr/lib/x86_64-linux-gnu/libprotobuf.a",
    ],
};

/// The version of the compiler among [`PACKAGES`].
pub const GCC_VERSION: &str = "12.2.0";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_versions_agree() {
        assert!(WHEEL.file.starts_with(&format!("ttnn-{TTNN_VERSION}-")));
        for package in PACKAGES.iter().chain([&FMT, &PROTOBUF]) {
            assert!(
                package
                    .file
                    .file
                    .starts_with(&format!("{}_{}_", package.name, package.version)),
                "{}",
                package.name
            );
            assert_eq!(package.file.sha256.len(), 64);
        }
        assert!(PACKAGES[0].version.starts_with(GCC_VERSION));
    }
}
