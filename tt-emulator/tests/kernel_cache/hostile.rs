//! A cache that others have had their hands on: what they leave there is never run.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};
use tt_emulator::kernel_object::compile_to_shared;

use super::turn::{ARCH, CACHE, ROLE, Turn, child, child_of, is_root, run, said, source};

/// Another user, and its group.
const OTHER: u32 = 65_534;

/// Writes an entry of the cache as the cache itself would: the hash keeps nobody out who knows how it is made.
pub fn seal(path: &Path, object: &[u8]) {
    let name = path.file_name().unwrap().to_str().unwrap();
    let length = (object.len() as u64).to_le_bytes();
    let hash = Sha256::new()
        .chain_update((name.len() as u64).to_le_bytes())
        .chain_update(name)
        .chain_update(length)
        .chain_update(object)
        .finalize();
    let bytes = [b"tt-kernel 1\n", length.as_slice(), hash.as_slice(), object].concat();
    fs::write(path, bytes).unwrap();
}

/// A kernel that leaves a file `ran` in `folder` when it is loaded.
fn planted(folder: &Path, key: &str) -> Vec<u8> {
    let text = format!(
        "#include <cstdio>\n\
         extern \"C\" void tt_kernel_{key}(const void*) {{}}\n\
         __attribute__((constructor)) static void run() {{ std::fclose(std::fopen({:?}, \"w\")); }}\n",
        folder.join("ran").display().to_string()
    );
    let (source, object) = (folder.join("planted.cpp"), folder.join("planted.so"));
    fs::write(&source, text).unwrap();
    let compiled = Command::new("c++")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&object)
        .arg(&source)
        .status()
        .unwrap();
    assert!(compiled.success());
    fs::read(object).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// What others may have done to a cache; gets the turn and the path of the planted entry.
type Tampering = dyn Fn(&Turn, &Path);

#[test]
fn what_others_could_have_planted_is_not_run() {
    let for_all: [(&str, &Tampering); 7] = [
        ("a file that others can write", &|_, entry| set_mode(entry, 0o666)),
        ("the cache's folder, writable", &|turn, _| {
            set_mode(&turn.own_folder(), 0o777)
        }),
        ("the cache's folder, writable and sticky", &|turn, _| {
            set_mode(&turn.own_folder(), 0o1777)
        }),
        ("the folder above, writable", &|turn, _| set_mode(&turn.cache(), 0o777)),
        ("the folder above that, writable", &|turn, _| {
            set_mode(&turn.folder, 0o777)
        }),
        ("a link in the place of a file", &|turn, entry| {
            let elsewhere = turn.folder.join("elsewhere");
            fs::rename(entry, &elsewhere).unwrap();
            symlink(elsewhere, entry).unwrap();
        }),
        ("a link to a folder that others can write", &|turn, _| {
            let elsewhere = turn.folder.join("elsewhere");
            fs::rename(turn.own_folder(), &elsewhere).unwrap();
            set_mode(&elsewhere, 0o777);
            symlink(elsewhere, turn.own_folder()).unwrap();
        }),
    ];
    let for_root: [(&str, &Tampering); 5] = [
        ("a file of another user", &|_, entry| {
            chown(entry, Some(OTHER), None).unwrap()
        }),
        ("the cache's folder of another user", &|turn, _| {
            chown(turn.own_folder(), Some(OTHER), None).unwrap()
        }),
        ("the folder above, of another user", &|turn, _| {
            chown(turn.cache(), Some(OTHER), None).unwrap()
        }),
        ("the folder above, writable by a group", &|turn, _| {
            chown(turn.cache(), None, Some(OTHER)).unwrap();
            set_mode(&turn.cache(), 0o770);
        }),
        ("a link of another user", &|turn, _| {
            let elsewhere = turn.folder.join("elsewhere");
            fs::rename(turn.own_folder(), &elsewhere).unwrap();
            symlink(elsewhere, turn.own_folder()).unwrap();
            lchown(turn.own_folder(), Some(OTHER), None).unwrap();
        }),
    ];
    // A plain object is what the cache took before it had hashes.
    let plain: (&str, &Tampering) = ("a file that is no entry", &|turn, entry| {
        fs::copy(turn.folder.join("planted.so"), entry).map(drop).unwrap();
    });
    // Else the others would show nothing: this user's own entry does run.
    let own: (&str, &Tampering) = ("nothing", &|_, _| {});
    let mut cases = vec![own, plain];
    cases.extend(for_all);
    cases.extend(for_root.into_iter().filter(|_| is_root()));
    for (number, (what, tamper)) in cases.into_iter().enumerate() {
        let turn = Turn::new("planted");
        let kernel = source(&format!("int planted_{number};"));
        let compiled = compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
        let entry = compiled.path.unwrap();
        seal(&entry, &planted(&turn.folder, &compiled.key));
        tamper(&turn, &entry);
        run(kernel).unwrap();
        assert_eq!(turn.folder.join("ran").exists(), what == "nothing", "{what}");
    }
}

#[test]
#[ignore = "run by the other tests of this file, as another user"]
fn child_process_runs_two_kernels() {
    run(source("int first_of_two;")).unwrap();
    run(source("int second_of_two;")).unwrap();
}

/// A child as another user, where this one is root: a user without rights meets a cache of root's.
#[test]
fn a_cache_of_another_user_is_said_not_to_be_used_once() {
    let turn = Turn::new("of-root");
    run(source("int of_root;")).unwrap();
    set_mode(&turn.cache(), 0o755);
    set_mode(&turn.own_folder(), 0o755);
    if is_root() {
        let mut command = child_of(OTHER, &turn, "hostile::child_process_runs_two_kernels");
        command.env(CACHE, turn.cache());
        let text = said(command);
        assert_eq!(text.matches("is not used").count(), 1, "{text}");
        assert!(text.contains("belongs to user 0, not to user 65534"), "{text}");
    }
    set_mode(&turn.own_folder(), 0o777);
    let text = said(child("hostile::child_process_runs_two_kernels"));
    assert_eq!(text.matches("is not used").count(), 1, "{text}");
    assert!(text.contains("can be written by others (its mode is 777)"), "{text}");
    assert_eq!(turn.cached(), (1, 0), "nothing was kept there");
}

#[test]
fn the_cache_is_for_its_user_alone() {
    let turn = Turn::new("modes");
    let compiled = compile_to_shared(&source("int modes;"), &ROLE, ARCH, &[]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&turn.cache()), 0o700);
    assert_eq!(mode(&turn.own_folder()), 0o700);
    assert_eq!(mode(&compiled.path.unwrap()), 0o600);
}
