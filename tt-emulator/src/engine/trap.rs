//! Kernels that touch memory they do not have, or overflow their stack.
//!
//! Kernels are native code: such an access is a fault of the process. While a kernel runs, its thread notes the coroutine's
//! trap handler; the signal handler then lets the coroutine end instead of the process, and the scheduler makes a report of
//! it. Faults anywhere else go to whoever handled them before.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(super) use linux::{is_watched, prepare_thread, take_fault, watch};
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(super) use none::{prepare_thread, take_fault, watch};

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux {
    use std::cell::{Cell, RefCell};
    use std::mem::zeroed;
    use std::ptr::null_mut;
    use std::sync::OnceLock;

    use corosensei::trap::CoroutineTrapHandler;

    const SIGNALS: [i32; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// Bytes of the stack that the signal handler runs on.
    const HANDLER_STACK: usize = 64 << 10;

    thread_local! {
        static WATCHED: Cell<Option<CoroutineTrapHandler<()>>> = const { Cell::new(None) };
        static FAULT: Cell<Option<usize>> = const { Cell::new(None) };
        static STACK: RefCell<Option<HandlerStack>> = const { RefCell::new(None) };
    }

    /// What handled the signals before.
    static BEFORE: OnceLock<[libc::sigaction; 2]> = OnceLock::new();

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
        BEFORE.get_or_init(|| SIGNALS.map(install));
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

    /// The address that ended the coroutine watched last.
    #[inline]
    pub(in super::super) fn take_fault() -> Option<usize> {
        FAULT.take()
    }

    fn install(signal: i32) -> libc::sigaction {
        // SAFETY: the handler touches only thread-locals without destructors and the interrupted context.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            let mut before: libc::sigaction = zeroed();
            libc::sigaction(signal, &action, &mut before);
            before
        }
    }

    unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a valid context of the interrupted thread.
        let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        let stack = registers[libc::REG_RSP as usize] as usize;
        if let Some(watched) = WATCHED.get().filter(|watched| watched.stack_ptr_in_bounds(stack)) {
            WATCHED.set(None);
            // SAFETY: a fault carries its address.
            FAULT.set(Some(unsafe { (*info).si_addr() } as usize));
            // SAFETY: the fault happened on the coroutine's stack, on which nothing needs to be dropped (see coroutine.rs),
            // and the context is set as asked.
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
            // SAFETY: with the default back in place the instruction faults again and ends the process as it would have.
            libc::SIG_DFL | libc::SIG_IGN => unsafe {
                libc::sigaction(signal, &before, null_mut());
            },
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: the flag says that the handler has this type.
                let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                    unsafe { std::mem::transmute(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: without the flag a handler has this type.
                let handler: extern "C" fn(i32) = unsafe { std::mem::transmute(handler) };
                handler(signal);
            }
        }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod none {
    use corosensei::trap::CoroutineTrapHandler;

    pub(in super::super) fn prepare_thread() {}

    pub(in super::super) fn watch(_coroutine: Option<CoroutineTrapHandler<()>>) {}

    pub(in super::super) fn take_fault() -> Option<usize> {
        None
    }
}
