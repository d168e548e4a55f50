//! Kernels that touch memory they do not have, overflow their stack, divide where the host cannot, or stop themselves.
//!
//! Kernels are native code: each of these is a fault of the process. While a kernel runs, its thread notes the coroutine's
//! trap handler; the signal handler then lets the coroutine end instead of the process, and the scheduler makes a report of
//! it. Divisions that a RISC-V does are done ([`super::division`]). Faults anywhere else, and signals that others send, go to
//! whoever handled them before.

/// What ended a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It touched an address that is not there.
    Memory(usize),
    /// It needed more stack than there is.
    Stack,
    /// It divided as no instruction of a RISC-V does.
    Division,
    /// It ran into a trap instruction.
    Trap,
    /// It called `abort`.
    Abort,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
pub(super) use linux::{install, is_watched, prepare_thread, take_fault, watch};
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
pub(super) use none::{prepare_thread, take_fault, watch};

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod linux {
    use std::cell::{Cell, RefCell};
    use std::mem::zeroed;
    use std::ptr::null_mut;
    use std::sync::OnceLock;

    use corosensei::trap::CoroutineTrapHandler;

    use super::super::division::{self, Registers};
    use super::super::risc;
    use super::Fault;

    const SIGNALS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

    /// Bytes of the stack that the signal handler runs on.
    const HANDLER_STACK: usize = 64 << 10;

    thread_local! {
        static WATCHED: Cell<Option<CoroutineTrapHandler<()>>> = const { Cell::new(None) };
        static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
        static STACK: RefCell<Option<HandlerStack>> = const { RefCell::new(None) };
    }

    /// What handled the signals before.
    static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

    /// A signal stack for a thread that has none; given up when the thread ends.
    struct HandlerStack(#[allow(dead_code, reason = "the handler runs on it")] Box<[u8]>);

    impl Drop for HandlerStack {
        fn drop(&mut self) {
            // SAFETY: the thread ends, and no handler runs on the stack that is given up here.
            unsafe {
                let mut none: libc::stack_t = zeroed();
                none.ss_flags = libc::SS_DISABLE;
                libc::sigaltstack(&none, null_mut());
            }
        }
    }

    /// Makes this thread ready to run kernels.
    pub(in super::super) fn prepare_thread() {
        // SAFETY: that is all that the handler touches.
        BEFORE.get_or_init(|| SIGNALS.map(|signal| unsafe { install(signal, handle, libc::SA_ONSTACK) }));
        // SAFETY: plain queries and settings of this thread's signal stack; the memory lives as long as the thread.
        unsafe {
            let mut present: libc::stack_t = zeroed();
            libc::sigaltstack(std::ptr::null(), &mut present);
            if present.ss_flags & libc::SS_DISABLE == 0 {
                return;
            }
            let mut memory = vec![0u8; HANDLER_STACK].into_boxed_slice();
            let mut stack: libc::stack_t = zeroed();
            stack.ss_sp = memory.as_mut_ptr().cast();
            stack.ss_size = HANDLER_STACK;
            libc::sigaltstack(&stack, null_mut());
            STACK.set(Some(HandlerStack(memory)));
        }
    }

    /// The coroutine that this thread runs from now on, if any.
    #[inline]
    pub(in super::super) fn watch(coroutine: Option<CoroutineTrapHandler<()>>) {
        WATCHED.set(coroutine);
    }

    /// Whether a stack pointer is the watched coroutine's.
    pub(in super::super) fn is_watched(stack: usize) -> bool {
        WATCHED.get().is_some_and(|watched| watched.stack_ptr_in_bounds(stack))
    }

    /// What ended the coroutine watched last.
    #[inline]
    pub(in super::super) fn take_fault() -> Option<Fault> {
        FAULT.take()
    }

    /// A signal handler with what the system tells it.
    pub(in super::super) type Handler = unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

    /// Makes `handler` the one of a signal; gives what was before.
    ///
    /// # Safety
    /// The handler must touch nothing but the interrupted context, what the interrupted kernel owns, and thread-locals without
    /// destructors.
    pub(in super::super) unsafe fn install(signal: i32, handler: Handler, flags: i32) -> libc::sigaction {
        // SAFETY: plain system calls on values that live as long as the calls.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | flags;
            libc::sigemptyset(&mut action.sa_mask);
            let mut before: libc::sigaction = zeroed();
            libc::sigaction(signal, &action, &mut before);
            before
        }
    }

    /// The general registers of an interrupted context.
    struct Context<'a>(&'a mut [libc::greg_t; 23]);

    /// Where a register of the instruction set lies in a context.
    const PLACES: [libc::c_int; 16] = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_R8,
        libc::REG_R9,
        libc::REG_R10,
        libc::REG_R11,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ];

    impl Registers for Context<'_> {
        fn get(&self, number: u8) -> u64 {
            self.0[PLACES[usize::from(number)] as usize] as u64
        }
        fn set(&mut self, number: u8, value: u64) {
            self.0[PLACES[usize::from(number)] as usize] = value as i64;
        }
        fn instruction(&self) -> u64 {
            self.0[libc::REG_RIP as usize] as u64
        }
        fn set_instruction(&mut self, address: u64) {
            self.0[libc::REG_RIP as usize] = address as i64;
        }
    }

    /// What a signal says about the kernel that it interrupted; nothing where it is not the kernel's own doing.
    fn fault(signal: i32, info: &libc::siginfo_t, stack: &CoroutineTrapHandler<()>) -> Option<Fault> {
        // Positive codes are the processor's. What a process sends itself comes from `abort`; what others send is not ours.
        // SAFETY: a signal that was sent carries its sender.
        let own = || info.si_code == libc::SI_TKILL && unsafe { info.si_pid() == libc::getpid() };
        match signal {
            libc::SIGSEGV | libc::SIGBUS if info.si_code > 0 => {
                // SAFETY: a fault carries its address.
                let address = unsafe { info.si_addr() } as usize;
                Some(if stack.stack_ptr_in_bounds(address) {
                    Fault::Stack
                } else {
                    Fault::Memory(address)
                })
            }
            // In a call the engine is at work, which may hold locks: it must not be left.
            _ if risc::current_is_in_call() => None,
            libc::SIGFPE if info.si_code > 0 => Some(Fault::Division),
            libc::SIGILL if info.si_code > 0 => Some(Fault::Trap),
            libc::SIGABRT if own() => Some(Fault::Abort),
            _ => None,
        }
    }

    unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system passes a valid context of the interrupted thread and a description of the signal.
        let (registers, sent) = unsafe { (&mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs, &*info) };
        let stack = registers[libc::REG_RSP as usize] as usize;
        if let Some(watched) = WATCHED.get().filter(|watched| watched.stack_ptr_in_bounds(stack))
            && let Some(fault) = fault(signal, sent, &watched)
        {
            // SAFETY: the processor has just refused the instruction, which is the kernel's.
            if fault == Fault::Division && unsafe { division::divide(&mut Context(registers)) } {
                return;
            }
            WATCHED.set(None);
            FAULT.set(Some(fault));
            // SAFETY: the fault happened on the coroutine's stack, on which nothing needs to be dropped (see coroutine.rs),
            // and the context is set as asked. `abort` holds no lock while it raises its signal.
            let target = unsafe { watched.setup_trap_handler(|| ()) };
            for (register, value) in [
                (libc::REG_RIP, target.rip),
                (libc::REG_RSP, target.rsp),
                (libc::REG_RBP, target.rbp),
                (libc::REG_RDI, target.rdi),
                (libc::REG_RSI, target.rsi),
            ] {
                registers[register as usize] = value as i64;
            }
            return;
        }
        let index = SIGNALS.iter().position(|known| *known == signal).unwrap_or(0);
        let Some(before) = BEFORE.get().map(|before| before[index]) else {
            return;
        };
        match before.sa_sigaction {
            libc::SIG_IGN if sent.si_code <= 0 => {}
            // SAFETY: with the default back in place the instruction faults again, or the signal is sent again, and the process
            // ends as it would have.
            libc::SIG_DFL | libc::SIG_IGN => unsafe {
                libc::sigaction(signal, &before, null_mut());
                if sent.si_code <= 0 {
                    libc::raise(signal);
                }
            },
            // SAFETY: the flag says whether a handler has the one type or the other, and is called as the system would.
            handler => unsafe {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
                } else {
                    std::mem::transmute::<usize, unsafe extern "C" fn(i32)>(handler)(signal);
                }
            },
        }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
mod none {
    use corosensei::trap::CoroutineTrapHandler;

    pub(in super::super) fn prepare_thread() {}

    pub(in super::super) fn watch(_coroutine: Option<CoroutineTrapHandler<()>>) {}

    pub(in super::super) fn take_fault() -> Option<super::Fault> {
        None
    }
}
