//! Running a program that may not end.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at a program that has closed its output and goes on.
const PAUSE: Duration = Duration::from_millis(5);

/// Runs `command` with `input`; nothing where it takes longer than `seconds`, and then it is ended with all that it started.
/// So it is where this process is ended meanwhile.
///
/// What it writes is taken, its standard output where `command` pipes it.
pub(super) fn output_within(command: &mut Command, input: &str, seconds: u64) -> io::Result<Option<Output>> {
    let limit = Instant::now() + Duration::from_secs(seconds);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    // A group of their own, so that what it starts can be ended too: compilers are drivers of others.
    let mut guard = Guard::new();
    let mut child = command.process_group(guard.group()).spawn()?;
    let (sender, receiver) = channel();
    let take = |name: &'static str, pipe: Option<Box<dyn Read + Send>>| {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
            // Nobody waits any more where the time was over.
            let _ = sender.send((name, read.map(|_| bytes)));
        });
    };
    take("stdout", child.stdout.take().map(|pipe| Box::new(pipe) as _));
    take("stderr", child.stderr.take().map(|pipe| Box::new(pipe) as _));
    // A thread feeds it, so that neither side waits for a full pipe of the other. A program that stops reading says why on
    // its own.
    let input = input.to_owned();
    let feeder = child
        .stdin
        .take()
        .map(|mut pipe| thread::spawn(move || pipe.write_all(input.as_bytes())));
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let Ok((name, bytes)) = receiver.recv_timeout(limit.saturating_duration_since(Instant::now())) else {
            return guard.end(child).map(|()| None);
        };
        *(if name == "stdout" { &mut stdout } else { &mut stderr }) = bytes?;
    }
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= limit {
            return guard.end(child).map(|()| None);
        }
        thread::sleep(PAUSE);
    };
    if let Some(feeder) = feeder {
        let _ = feeder.join();
    }
    Ok(Some(Output { status, stdout, stderr }))
}

/// Ends all of its group where this process ends before it is dropped, however it ends: a shell that reads from this process,
/// started before anything else is in the group. No signal that the system sends on the death of a parent would reach what a
/// program has started.
struct Guard(Option<Child>);

impl Guard {
    fn new() -> Guard {
        let mut shell = Command::new("/bin/sh");
        // Where reading ends without a line, the other end of the pipe is gone, and so is this process.
        shell.args(["-c", "read -r line || kill -9 0"]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Without a shell a program only ends later. What is sent to this process's group is not for the shell.
        Guard(shell.process_group(0).spawn().ok())
    }

    /// The group that it ends; 0, a new one, where there is no shell.
    fn group(&self) -> libc::pid_t {
        self.0.as_ref().map_or(0, |shell| shell.id() as libc::pid_t)
    }

    /// Ends its group, with `program` in it.
    fn end(&mut self, mut program: Child) -> io::Result<()> {
        let group = match self.group() {
            0 => program.id() as libc::pid_t,
            group => group,
        };
        // SAFETY: a plain system call; the group has the number of the shell or of the program, neither of which has been waited
        // for, so that it is still theirs.
        unsafe { libc::kill(-group, libc::SIGKILL) };
        if let Some(mut shell) = self.0.take() {
            shell.wait()?;
        }
        program.wait().map(drop)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(shell) = &mut self.0 {
            if let Some(mut pipe) = shell.stdin.take() {
                // It may have ended by itself.
                let _ = pipe.write_all(b"\n");
            }
            let _ = shell.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_comes_back_and_a_program_that_hangs_is_ended_with_its_children() {
        let mut cat = Command::new("sh");
        cat.args(["-c", "cat; echo words >&2; exit 3"]).stdout(Stdio::piped());
        let output = output_within(&mut cat, "text", 60).unwrap().unwrap();
        assert_eq!(
            (output.stdout.as_slice(), output.stderr.as_slice()),
            (&b"text"[..], &b"words\n"[..])
        );
        assert_eq!(output.status.code(), Some(3));
        let start = Instant::now();
        for script in ["sleep 600 & wait", "exec >&- 2>&- <&-; sleep 600"] {
            let mut hang = Command::new("sh");
            assert!(output_within(hang.args(["-c", script]), "", 1).unwrap().is_none());
        }
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    /// Where the test below finds the number of a process.
    const NUMBER_FILE: &str = "TT_EMULATOR_TEST_NUMBER_FILE";

    #[test]
    #[ignore = "is run, and killed, by the next test"]
    fn waits_for_a_program_that_has_started_another() {
        let Some(file) = std::env::var_os(NUMBER_FILE) else {
            return;
        };
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo $! > \"$0.new\"; mv \"$0.new\" \"$0\"; wait"]);
        let _ = output_within(command.arg(file), "", 600);
    }

    #[test]
    fn what_a_program_has_started_ends_with_a_process_that_is_killed() {
        let file = std::env::temp_dir().join(format!("tt-emulator-guard-{}", std::process::id()));
        let name = "kernel_object::time_limit::tests::waits_for_a_program_that_has_started_another";
        let mut waiting = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", name])
            .env(NUMBER_FILE, &file)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        let until = |is: &dyn Fn() -> bool| {
            while !is() {
                assert!(Instant::now() < limit);
                thread::sleep(PAUSE);
            }
        };
        until(&|| file.exists());
        let number = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        // One that has ended and that nobody has asked for is still there, as a zombie.
        let runs = || {
            let status = std::fs::read_to_string(format!("/proc/{}/stat", number.trim()));
            status.is_ok_and(|status| !status.contains(") Z "))
        };
        assert!(runs());
        waiting.kill().unwrap();
        waiting.wait().unwrap();
        until(&|| !runs());
    }
}
