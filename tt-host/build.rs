//! Compiles the bridge: with the emulator's host API by default, against an SDK where `TT_METAL_HOME` names one.

use std::env;
use std::path::{Path, PathBuf};

/// Environment variables that name an SDK, the first that is set counts.
const SDK_VARIABLES: [&str; 2] = ["TT_METAL_HOME", "TT_METAL_SDK"];

/// Where an SDK keeps headers, in a source tree with its build or an installed prefix; those that exist are searched.
const SDK_INCLUDES: [&str; 14] = [
    "include",
    "include/metalium-thirdparty",
    "build/include",
    "build/include/metalium-thirdparty",
    "build_Release/include",
    "build_Release/include/metalium-thirdparty",
    "tt_metal/api",
    "tt_metal/hostdevcommon/api",
    "tt_metal/third_party/umd/device/api",
    "tt_metal/third_party/tracy/public",
    "tt_stl",
    "tt_metal",
    ".",
    "runtime/include",
];

/// Where an SDK keeps `libtt_metal.so`.
const SDK_LIBRARIES: [&str; 6] = [
    "build/lib",
    "build_Release/lib",
    "lib",
    "lib64",
    "lib/x86_64-linux-gnu",
    "lib/aarch64-linux-gnu",
];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(tt_metal_sdk)");
    for file in [
        "build.rs",
        "src/bridge/mod.rs",
        "src/bridge/bridge.h",
        "src/bridge/bridge.cc",
    ] {
        println!("cargo::rerun-if-changed={file}");
    }
    for variable in SDK_VARIABLES {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let mut build = cxx_build::bridge("src/bridge/mod.rs");
    build.file("src/bridge/bridge.cc").std("c++20").warnings(false);
    let sdk = SDK_VARIABLES.iter().find_map(|name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(|value| (name, value))
    });
    let library = match sdk {
        Some((variable, root)) => against_sdk(&mut build, variable, Path::new(&root)).map(Some),
        None => with_emulator(&mut build).map(|()| None),
    };
    match library {
        Ok(library) => {
            build.compile("tt_host_bridge");
            // After the bridge, which needs it: linkers go from left to right.
            if let Some(library) = library {
                println!("cargo::rustc-cfg=tt_metal_sdk");
                println!("cargo::rustc-link-search=native={}", library.display());
                println!("cargo::rustc-link-lib=dylib=tt_metal");
            }
        }
        Err(message) => println!("cargo::error={message}"),
    }
}

/// Sets the bridge up against the headers of an SDK; gives the folder of its library.
fn against_sdk(build: &mut cc::Build, variable: &str, root: &Path) -> Result<PathBuf, String> {
    let includes: Vec<PathBuf> = SDK_INCLUDES
        .iter()
        .map(|folder| root.join(folder))
        .filter(|path| path.is_dir())
        .collect();
    if !includes
        .iter()
        .any(|path| path.join("tt-metalium/host_api.hpp").is_file())
    {
        return Err(format!(
            "{variable} is {}, but there is no tt-metalium/host_api.hpp in it: it must name a Metalium source tree with its \
             build, or the prefix of an installed SDK with its headers; unset it to build with the emulator",
            root.display()
        ));
    }
    let library = SDK_LIBRARIES
        .iter()
        .map(|folder| root.join(folder))
        .find(|path| path.join("libtt_metal.so").is_file());
    let library =
        library.ok_or_else(|| format!("{variable} is {}, but there is no libtt_metal.so in it", root.display()))?;
    build.includes(includes);
    Ok(library)
}

/// Sets the bridge up together with the emulator's host API, whose folders tt-emulator publishes.
fn with_emulator(build: &mut cc::Build) -> Result<(), String> {
    let published = |name: &str| {
        let folder = env::var_os(name).map(PathBuf::from);
        folder.ok_or_else(|| format!("tt-emulator does not publish {name}"))
    };
    let (include, sources) = (
        published("DEP_TT_EMULATOR_HOST_INCLUDE")?,
        published("DEP_TT_EMULATOR_HOST_SOURCES")?,
    );
    println!("cargo::rerun-if-changed={}", include.display());
    println!("cargo::rerun-if-changed={}", sources.display());
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", sources.display());
    let mut files = std::fs::read_dir(&sources)
        .and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(unreadable)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    files.sort();
    build.include(include).files(files);
    Ok(())
}
