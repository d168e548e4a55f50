//! Compiles the bridge: with the emulator's host API by default, against an SDK where `TT_METAL_HOME` names one.
//!
//! An SDK is a source tree with its build, an installed prefix, or the `ttnn` folder of an installed wheel. The wheel has
//! the libraries without host headers; the emulator's have the layout of the library of one version (`conformance abi`),
//! so that the two together are an SDK.

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

/// The version of the wheel whose library the emulator's host headers fit.
const WHEEL_VERSION: &str = "0.81.1";

/// The libraries of an SDK that the bridge calls: the second from inline functions of the SDK's own headers, where it has it.
const SDK_LINKED: [&str; 2] = ["tt_metal", "tt_stl"];

/// An SDK as it was found.
struct Sdk {
    /// Folders of headers.
    includes: Vec<PathBuf>,
    /// The folder of the libraries.
    libraries: PathBuf,
    /// The folder above which nothing belongs to the SDK.
    top: PathBuf,
}

fn main() {
    println!("cargo::rustc-check-cfg=cfg(tt_metal_sdk)");
    println!("cargo::rustc-check-cfg=cfg(tt_unoptimised)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=tt_unoptimised");
    }
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
    let built = match sdk {
        Some((variable, root)) => find_sdk(variable, Path::new(&root)).and_then(|sdk| {
            build.includes(&sdk.includes).compile("tt_host_bridge");
            // After the bridge, which needs it: linkers go from left to right.
            link(&sdk)
        }),
        None => with_emulator(&mut build).map(|()| build.compile("tt_host_bridge")),
    };
    if let Err(message) = built {
        println!("cargo::error={message}");
    }
}

/// Finds the headers and libraries of an SDK.
fn find_sdk(variable: &str, root: &Path) -> Result<Sdk, String> {
    let libraries = SDK_LIBRARIES
        .iter()
        .map(|folder| root.join(folder))
        .find(|path| path.join("libtt_metal.so").is_file())
        .ok_or_else(|| format!("{variable} is {}, but there is no libtt_metal.so in it", root.display()))?;
    let includes: Vec<PathBuf> = SDK_INCLUDES
        .iter()
        .map(|folder| root.join(folder))
        .filter(|path| path.is_dir())
        .collect();
    let has_headers = |path: &PathBuf| path.join("tt-metalium/host_api.hpp").is_file();
    if includes.iter().any(has_headers) {
        return Ok(Sdk {
            includes,
            libraries,
            top: root.to_path_buf(),
        });
    }
    let installed = root.parent().unwrap_or(root);
    match wheel_version(installed) {
        Some(version) if version == WHEEL_VERSION => {
            let headers = published("DEP_TT_EMULATOR_HOST_INCLUDE")?;
            println!("cargo::rerun-if-changed={}", headers.display());
            Ok(Sdk {
                includes: vec![headers],
                libraries,
                top: installed.to_path_buf(),
            })
        }
        Some(version) => Err(format!(
            "{variable} is {}, the ttnn wheel {version}: this crate has host headers for {WHEEL_VERSION} only; install that, \
             or name a Metalium source tree with its build",
            root.display()
        )),
        None => Err(format!(
            "{variable} is {}, but there is no tt-metalium/host_api.hpp in it: it must name a Metalium source tree with its \
             build, the prefix of an installed SDK with its headers, or the folder `ttnn` of the installed wheel \
             {WHEEL_VERSION}; unset it to build with the emulator",
            root.display()
        )),
    }
}

/// The version of the `ttnn` wheel installed in a folder, by the name of its record.
fn wheel_version(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .filter_map(|name| Some(name.strip_prefix("ttnn-")?.strip_suffix(".dist-info")?.to_string()))
        .next()
}

/// Links with the libraries of an SDK, by a path in the build's own folder: cargo lets the programs that it runs search
/// those, so that `cargo run` and `cargo test` find the libraries without a variable.
fn link(sdk: &Sdk) -> Result<(), String> {
    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or("cargo does not set OUT_DIR")?;
    let alias = out.join("sdk");
    let failed = |error: std::io::Error| format!("cannot link {} to {}: {error}", alias.display(), sdk.top.display());
    match std::fs::remove_file(&alias) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    std::os::unix::fs::symlink(&sdk.top, &alias).map_err(failed)?;
    let libraries = sdk
        .libraries
        .strip_prefix(&sdk.top)
        .map_or_else(|_| sdk.libraries.clone(), |path| alias.join(path));
    println!("cargo::rustc-cfg=tt_metal_sdk");
    println!("cargo::rustc-link-search=native={}", libraries.display());
    for name in SDK_LINKED {
        if sdk.libraries.join(format!("lib{name}.so")).is_file() {
            println!("cargo::rustc-link-lib=dylib={name}");
        }
    }
    Ok(())
}

/// A folder that tt-emulator's build script publishes.
fn published(name: &str) -> Result<PathBuf, String> {
    let folder = env::var_os(name).map(PathBuf::from);
    folder.ok_or_else(|| format!("tt-emulator does not publish {name}"))
}

/// Sets the bridge up together with the emulator's host API, whose folders tt-emulator publishes.
fn with_emulator(build: &mut cc::Build) -> Result<(), String> {
    let include = published("DEP_TT_EMULATOR_HOST_INCLUDE")?;
    let tables = published("DEP_TT_EMULATOR_HOST_TABLES")?;
    let sources = published("DEP_TT_EMULATOR_HOST_SOURCES")?;
    println!("cargo::rerun-if-changed={}", include.display());
    println!("cargo::rerun-if-changed={}", tables.display());
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
    build.include(include).include(tables).files(files);
    Ok(())
}
