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
pub(super) use linux::{install, is_watched, prepare_thread, signal_stack, take_fault, watch};
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
pub(super) use none::{prepare_thread, take_fault, watch};

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod linux {
    use std::cell::{Cell, RefCell};
    use std::mem::zeroed;
    use std::ptr::{null, null_mut};
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
    struct HandlerStack(Box<[u8]>);

    impl HandlerStack {
        /// A new one, which is this thread's from now on.
        fn new() -> HandlerStack {
            let mut stack = HandlerStack(vec![0; HANDLER_STACK].into_boxed_slice());
            stack.set(0);
            stack
        }

        /// Makes it this thread's, or with `SS_DISABLE` nobody's.
        fn set(&mut self, flags: i32) {
            let stack = libc::stack_t {
                ss_sp: self.0.as_mut_ptr().cast(),
                ss_flags: flags,
                ss_size: self.0.len(),
            };
            // SAFETY: the memory is for handlers alone, and there until it is given up as the thread ends, when none runs on it.
            unsafe { libc::sigaltstack(&stack, null_mut()) };
        }
    }

    impl Drop for HandlerStack {
        fn drop(&mut self) {
            self.set(libc::SS_DISABLE);
        }
    }

    /// The signal stack of this thread, whose flags have `SS_DISABLE` where there is none.
    pub(in super::super) fn signal_stack() -> libc::stack_t {
        let mut stack = libc::stack_t {
            ss_sp: null_mut(),
            ss_flags: libc::SS_DISABLE,
            ss_size: 0,
        };
        // SAFETY: a plain query, into a value that lives as long as the call.
        unsafe { libc::sigaltstack(null(), &mut stack) };
        stack
    }

    /// Makes this thread ready to run kernels.
    pub(in super::super) fn prepare_thread() {
        // SAFETY: that is all that the handler touches.
        BEFORE.get_or_init(|| SIGNALS.map(|signal| unsafe { install(signal, handle, libc::SA_ONSTACK) }));
        if signal_stack().ss_flags & libc::SS_DISABLE != 0 {
            STACK.set(Some(HandlerStack::new()));
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

    /// A signal handler with what the system tells it: the signal, what is known of it, and the context that it interrupted.
    pub(in super::super) type Handler = unsafe extern "C" fn(i32, &mut libc::siginfo_t, &mut libc::ucontext_t);

    /// Makes `handler` the one of a signal; gives what was before.
    ///
    /// # Safety
    /// The handler must touch nothing but the interrupted context, what the interrupted kernel owns, and thread-locals without
    /// destructors.
    pub(in super::super) unsafe fn install(signal: i32, handler: Handler, flags: i32) -> libc::sigaction {
        // SAFETY: plain system calls on values that live as long as the calls. With the flag that is set the system passes a handler
        // what its type says.
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
        // SAFETY: the system fills all of it, so that both can be read: what a fault and what a sent signal carries lie in one place,
        // and the code says which of them it is.
        let (address, sender) = unsafe { (info.si_addr() as usize, info.si_pid()) };
        // Positive codes are the processor's. What a process sends itself comes from `abort`; what others send is not ours.
        let own = || info.si_code == libc::SI_TKILL && sender as u32 == std::process::id();
        match signal {
            libc::SIGSEGV | libc::SIGBUS if info.si_code > 0 => Some(if stack.stack_ptr_in_bounds(address) {
                Fault::Stack
            } else {
                Fault::Memory(address)
            }),
            // In a call the engine is at work, which may hold locks: it must not be left.
            _ if risc::current_is_in_call() => None,
            libc::SIGFPE if info.si_code > 0 => Some(Fault::Division),
            libc::SIGILL if info.si_code > 0 => Some(Fault::Trap),
            libc::SIGABRT if own() => Some(Fault::Abort),
            _ => None,
        }
    }

    /// # Safety
    /// The system calls it, for this thread.
    unsafe extern "C" fn handle(signal: i32, sent: &mut libc::siginfo_t, context: &mut libc::ucontext_t) {
        let registers = &mut context.uc_mcontext.gregs;
        let stack = registers[libc::REG_RSP as usize] as usize;
        if let Some(watched) = WATCHED.get().filter(|watched| watched.stack_ptr_in_bounds(stack))
            && let Some(fault) = fault(signal, sent, &watched)
        {
            // SAFETY: it is asked for what the processor has just read: the refused instruction, which is the kernel's, and its operand.
            let byte = |address: u64| unsafe { (address as usize as *const u8).read() };
            if fault == Fault::Division && division::divide(&mut Context(registers), byte) {
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
                    std::mem::transmute::<usize, Handler>(handler)(signal, sent, context);
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
