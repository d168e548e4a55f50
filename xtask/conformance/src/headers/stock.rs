//! A toolchain out of parts that anybody can have: Debian's GCC, the wheel's headers, and a few files made here.
//!
//! The command lines stay those of the JIT (`tt_build::device`); what GCC 12 does not know of them is left out or said
//! differently, which is a table here. Tensix instructions become data in the code. The vector library is a stand-in that
//! generates nothing ([`super::sfpi`]), so binaries of this toolchain lack all SFPU instructions: they show that a kernel
//! compiles and links and roughly how large it is, and would not compute.

use super::sfpi;
use crate::fetch::{Cache, Compiler, Downloads, compiler, headers};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use tt_build::device::{Adaptation, CHIPS, Toolchain, digest, version_of};
use xtask::project;

/// Options of the vendor's compiler that a stock GCC does not have, or that need the linker plugin.
const DROPPED: [&str; 4] = ["-ftt-", "-flto", "-std=", "-g"];

/// The machine: 32-bit RISC-V with multiplication; both chips have no more that a stock GCC knows.
const MACHINE: [&str; 2] = ["-march=rv32im_zicsr_zifencei", "-mabi=ilp32"];

/// What replaces the choice of a processor: with `-tensix` the vendor's compiler predefines a macro.
const PROCESSORS: [(&str, &[&str]); 4] = [
    ("-mcpu=tt-wh", &[]),
    ("-mcpu=tt-bh", &[]),
    ("-mcpu=tt-wh-tensix", &["-D__riscv_xtttensixwh=1"]),
    ("-mcpu=tt-bh-tensix", &["-D__riscv_xtttensixbh=1"]),
];

/// The dialect that has what the vendor adds to C++17, and the attributes that only the vendor's compiler knows. Data
/// is not put into sections of its own: the linker would drop what the firmware has only for kernels.
const DIALECT: [&str; 8] = [
    "-std=gnu++20",
    "-Drvtt_l1_ptr=unused",
    "-Drvtt_reg_ptr=unused",
    "-fno-threadsafe-statics",
    "-ffunction-sections",
    "-fno-jump-tables",
    "-Wno-attributes",
    "-Wno-volatile",
];

/// How the linker drops what the vendor's whole-program optimisation drops.
const LINK: [&str; 3] = ["-nodefaultlibs", "-Wl,--gc-sections", "-Wl,-u,tt_keep_data"];

/// A Tensix instruction in the stream of RISC-V instructions: its word rotated left by two bits.
const INSTRUCTIONS: &str =
    ".macro .ttinsn word\n.4byte ((((\\word) << 2) | (((\\word) >> 30) & 3)) & 0xffffffff)\n.endm\n";

/// A word of data, since the runtime wants a data segment in every program.
const KEPT_DATA: &str =
    "\t.section .data.tt_keep_data,\"aw\"\n\t.globl tt_keep_data\n\t.balign 4\ntt_keep_data: .word 0\n";

/// The sources of the runtime's support objects, below `tt_metal/hw`. Those in the wheel are bytecode of its own compiler.
/// With the chips that have them, and how they are compiled.
const OBJECTS: [(&str, &[&str], &[&str]); 6] = [
    ("toolchain/substitutes.cpp", &["wormhole", "blackhole"], &[]),
    (
        "firmware/src/tt-1xx/{family}/noc.c",
        &["wormhole", "blackhole"],
        &["-DCOMPILE_FOR_BRISC", "-x", "c++"],
    ),
    (
        "firmware/src/tt-1xx/tdma_xmov.c",
        &["wormhole", "blackhole"],
        &["-DCOMPILE_FOR_BRISC", "-x", "c++"],
    ),
    ("toolchain/tmu-crt0.S", &["wormhole", "blackhole"], &[]),
    ("toolchain/wh-iram-start.S", &["wormhole"], &[]),
    ("toolchain/wh-iram-trampoline.S", &["wormhole"], &[]),
];

/// Sets the toolchain up in `cache`, fetching what is not there.
///
/// # Errors
/// Where something cannot be fetched, made or run, with the reason.
pub fn toolchain(cache: &Cache, downloads: &dyn Downloads) -> Result<Toolchain, String> {
    let root = headers(cache, downloads)?;
    let gcc = compiler(cache, downloads)?;
    let header = sfpi::header(&root)?;
    let files = [
        ("sfpi/sfpi.h", header),
        ("sfpi/lltt.h", sfpi::LLTT.to_string()),
        ("instructions.s", INSTRUCTIONS.to_string()),
        ("keep.s", KEPT_DATA.to_string()),
    ];
    // Another text is another folder, so that an older one is never taken for it.
    let texts = files.iter().map(|(_, text)| text.as_bytes());
    let options = format!(
        "{DIALECT:?}{MACHINE:?}{OBJECTS:?}{}{}",
        root.display(),
        gcc.path.display()
    );
    let name = format!("stock-{}", &digest(texts.chain([options.as_bytes()]))[..16]);
    let folder = cache.entry(&name, |folder| {
        for (name, text) in &files {
            project::write(&folder.join(name), text)?;
        }
        freestanding(&gcc, &folder.join("cxx"))?;
        support_objects(&gcc, &root, folder)
    })?;
    Ok(Toolchain {
        version: version_of(&gcc.path).map_err(|error| error.to_string())?,
        sfpi: folder.join("sfpi"),
        objects: folder.join("objects"),
        adaptation: adaptation(&gcc, &folder),
        disable_sfploadmacro: false,
        compiler: gcc.path,
        root,
    })
}

fn adaptation(gcc: &Compiler, folder: &Path) -> Adaptation {
    let processors = PROCESSORS.iter().map(|(option, more)| {
        let words = MACHINE.iter().chain(*more).map(ToString::to_string);
        ((*option).to_string(), words.collect())
    });
    let mut compile: Vec<OsString> = DIALECT.iter().map(OsString::from).collect();
    compile.push(prefixed("-Wa,", &folder.join("instructions.s")));
    compile.extend(library_headers(gcc, folder));
    let mut libraries: Vec<OsString> = vec![folder.join("objects/keep.o").into()];
    libraries.push(prefixed("-L", &gcc.picolibc().join("lib/rv32im/ilp32")));
    libraries.extend(["-lm", "-lc"].map(OsString::from));
    // By its name the compiler would take the one for 64 bits: it has none for exactly these extensions.
    libraries.push(gcc.libgcc().into());
    Adaptation {
        dropped: DROPPED.map(str::to_string).to_vec(),
        replaced: processors.collect(),
        system_headers: true,
        compile,
        link: LINK.map(OsString::from).to_vec(),
        libraries,
    }
}

/// Where the C and C++ libraries' headers are, after all others.
fn library_headers(gcc: &Compiler, folder: &Path) -> Vec<OsString> {
    let mut words = vec![OsString::from("-nostdinc++")];
    for place in [gcc.cxx(), folder.join("cxx"), gcc.picolibc().join("include")] {
        words.extend([OsString::from("-isystem"), place.into()]);
    }
    words
}

/// The C++ library's description of a machine without an operating system, made of the one for Linux.
fn freestanding(gcc: &Compiler, folder: &Path) -> Result<(), String> {
    let host = gcc.cxx_of_host().join("bits");
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", host.display());
    for entry in std::fs::read_dir(&host).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = match name.as_str() {
            "os_defines.h" => "#pragma once\n".to_string(),
            "gthr-default.h" => read(&host.join("gthr-single.h"))?,
            "c++config.h" => without_system(&read(&path)?),
            _ => read(&path)?,
        };
        project::write(&folder.join("bits").join(name), &text)?;
    }
    Ok(())
}

/// `c++config.h` without what only an operating system has.
fn without_system(text: &str) -> String {
    const SYSTEM: [&str; 6] = [
        "_GLIBCXX_HAVE_LINUX_FUTEX",
        "_GLIBCXX_HAS_GTHREADS",
        "_GLIBCXX_HAVE_TLS",
        "_GLIBCXX_USE_C99_FENV_TR1",
        "_GLIBCXX_USE_PTHREAD",
        "_GLIBCXX_USE_NLS",
    ];
    let kept = text.lines().filter(|line| {
        let name = line.strip_prefix("#define ").unwrap_or_default();
        !SYSTEM.iter().any(|start| name.starts_with(start))
    });
    kept.map(|line| format!("{line}\n")).collect()
}

/// Compiles the support objects of both chips into `folder/objects`.
fn support_objects(gcc: &Compiler, root: &Path, folder: &Path) -> Result<(), String> {
    let objects = folder.join("objects");
    let assemble = |source: &Path, object: PathBuf, more: Vec<OsString>| {
        let mut command = Command::new(&gcc.path);
        command
            .args(MACHINE)
            .args(DIALECT)
            .args(["-Os", "-fno-exceptions", "-fno-rtti", "-w"]);
        command.arg(prefixed("-Wa,", &folder.join("instructions.s")));
        command.args(more).arg("-c").arg(source).arg("-o").arg(&object);
        let output = command
            .output()
            .map_err(|error| format!("{} does not run: {error}", gcc.path.display()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(format!("cannot compile {}:\n{said}", source.display()))
    };
    for chip in &CHIPS {
        let place = objects.join(chip.family);
        std::fs::create_dir_all(&place).map_err(|error| format!("cannot write {}: {error}", place.display()))?;
        let metal = root.join("tt_metal");
        let mut includes: Vec<OsString> = Vec::new();
        for below in [
            String::new(),
            "hw/inc".into(),
            "hostdevcommon/api".into(),
            "hw/inc/internal/tt-1xx".into(),
            format!("hw/inc/internal/tt-1xx/{}", chip.family),
            format!("hw/inc/internal/tt-1xx/{}/{}_defines", chip.family, chip.name),
            format!("hw/inc/internal/tt-1xx/{}/noc", chip.family),
            format!("tt-llk/tt_llk_{}/common/inc", chip.name),
            "hw/firmware/src/tt-1xx".into(),
        ] {
            includes.push(prefixed("-I", &metal.join(below)));
        }
        includes.push(prefixed("-I", root));
        includes.extend(["-DTENSIX_FIRMWARE".into(), "-DLOCAL_MEM_EN=0".into()]);
        includes.extend(chip.defines.iter().map(|name| OsString::from(format!("-D{name}"))));
        for (source, families, options) in OBJECTS {
            if !families.contains(&chip.family) {
                continue;
            }
            let source = metal.join("hw").join(source.replace("{family}", chip.family));
            let stem = source.file_stem().unwrap_or_default().to_os_string();
            let mut words = includes.clone();
            words.extend(library_headers(gcc, folder));
            words.extend(options.iter().map(OsString::from));
            assemble(&source, place.join(stem).with_extension("o"), words)?;
        }
    }
    assemble(&folder.join("keep.s"), objects.join("keep.o"), Vec::new())
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(path);
    word
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_system_has_no_threads() {
        let text = "#define _GLIBCXX_HAS_GTHREADS 1\n#define _GLIBCXX_HAVE_LOGF 1\n/* #undef _GLIBCXX_HAVE_TLS */\n";
        assert_eq!(
            without_system(text),
            "#define _GLIBCXX_HAVE_LOGF 1\n/* #undef _GLIBCXX_HAVE_TLS */\n"
        );
    }
}
