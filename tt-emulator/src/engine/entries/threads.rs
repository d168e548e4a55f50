//! What the three threads of a compute kernel do beside computing: words that they send each other, pointers of circular
//! buffers that they set on their own, and calls that the emulator knows by name only.

use super::super::risc::{Risc, guard};
use crate::abi::CText;
use crate::compute::enumerations::Thread;
use crate::compute::rules;

impl Risc {
    fn require_compute_thread(&mut self, thread: u32, line: i32) {
        match Thread::from_id(thread) {
            Some(Thread::Unpack | Thread::Math | Thread::Pack) => {}
            Some(Thread::Brisc) | None => self.violation(&rules::MAILBOX, line, format!("thread {thread}")),
        }
    }
}

pub(super) extern "C" fn mailbox_write(to: u32, value: u32, line: i32) {
    guard(line, |risc| {
        risc.require_compute_thread(to, line);
        risc.compute.mailbox.push_back(value);
    });
}

pub(super) extern "C" fn mailbox_read(from: u32, line: i32) -> u32 {
    guard(line, |risc| {
        risc.require_compute_thread(from, line);
        match risc.compute.mailbox.pop_front() {
            Some(value) => value,
            None => risc.violation(&rules::MAILBOX, line, format!("thread {from} wrote nothing")),
        }
    })
}

pub(super) extern "C" fn set_cb_pointer(cb: u32, which: u32, address: u32, line: i32) {
    guard(line, |risc| risc.set_cb_pointer(cb, which, address, line));
}

pub(super) extern "C" fn refused(name: CText, line: i32) {
    guard(line, |risc| {
        risc.violation(&rules::REFUSED, line, name.get().into_owned())
    });
}
