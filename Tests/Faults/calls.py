"""The possible errors of each system call, and the calls that are left alone, with the reason.

A new kind of call in a trace that is in neither table is an error: somebody must say how it may fail.
"""

# The errors in the manual pages of Linux that a run can meet: a disk that fails or is full, a full table, too little
# memory, a signal, a peer that is gone.
OPEN = "EACCES EMFILE ENFILE ENOMEM EIO EINTR ENOSPC EDQUOT EROFS ELOOP"
STAT = "EACCES EIO ENOMEM ENOENT"
SOCKET = "EMFILE ENFILE ENOBUFS ENOMEM EACCES"
SEND = "EINTR EAGAIN ECONNRESET EPIPE ENOBUFS ENOMEM"
RECEIVE = "EINTR EAGAIN ECONNRESET ETIMEDOUT ENOMEM"
WAIT = "EINTR ENOMEM"
NAME = "EACCES EIO ENOSPC EDQUOT EROFS ENOENT"

ERRORS = {call: errors.split() for call, errors in {
    "openat": OPEN, "open": OPEN, "creat": OPEN,
    "read": "EIO EINTR EAGAIN ENOMEM ECONNRESET", "readv": "EIO EINTR", "pread64": "EIO EINTR",
    "write": "EIO ENOSPC EDQUOT EFBIG EINTR EAGAIN EPIPE", "writev": "EIO ENOSPC EINTR EAGAIN EPIPE",
    "pwrite64": "EIO ENOSPC EDQUOT EINTR", "pwritev": "EIO ENOSPC EINTR",
    "close": "EIO EINTR ENOSPC EDQUOT",
    "fsync": "EIO ENOSPC EDQUOT EINTR EINVAL", "fdatasync": "EIO ENOSPC EDQUOT EINTR EINVAL",
    "ftruncate": "EIO EINTR ENOSPC", "fallocate": "EOPNOTSUPP ENOSPC EINTR", "lseek": "ESPIPE EINVAL",
    "rename": NAME, "renameat": NAME, "renameat2": NAME, "link": NAME + " EMLINK EPERM", "linkat": NAME + " EMLINK EPERM",
    "unlink": "EACCES EIO EROFS EPERM", "unlinkat": "EACCES EIO EROFS EPERM", "mkdir": NAME, "symlink": NAME,
    "fchmod": "EPERM EIO EROFS", "fchown": "EPERM EIO EROFS", "chmod": "EPERM EIO", "chown": "EPERM EIO", "lchown": "EPERM EIO EROFS",
    "newfstatat": STAT, "fstat": "EIO ENOMEM", "stat": STAT, "lstat": STAT, "statx": STAT, "fstatfs": "EIO ENOSYS", "statfs": "EIO ENOSYS",
    "access": "EACCES EIO ENOENT", "faccessat2": "EACCES EIO", "readlink": "EACCES EIO ENOMEM EINVAL", "getcwd": "ENOENT ENOMEM",
    "poll": WAIT, "ppoll": WAIT, "select": WAIT, "pselect6": WAIT,
    "epoll_wait": "EINTR", "epoll_pwait": "EINTR", "epoll_ctl": "ENOMEM ENOSPC",
    "epoll_create": "EMFILE ENFILE ENOMEM", "epoll_create1": "EMFILE ENFILE ENOMEM",
    "pipe": "EMFILE ENFILE", "pipe2": "EMFILE ENFILE", "eventfd2": "EMFILE ENFILE ENOMEM", "signalfd4": "EMFILE ENFILE ENOMEM",
    "timerfd_create": "EMFILE ENFILE ENOMEM", "dup": "EMFILE", "dup2": "EMFILE EINTR", "dup3": "EMFILE EINTR",
    "fcntl": "EINTR EAGAIN ENOLCK EMFILE", "flock": "EINTR ENOLCK EAGAIN", "ioctl": "ENOTTY EIO",
    "socket": SOCKET, "socketpair": SOCKET, "bind": "EADDRINUSE EACCES EADDRNOTAVAIL ENOMEM", "listen": "EADDRINUSE",
    "connect": "ECONNREFUSED ETIMEDOUT ENETUNREACH EHOSTUNREACH EADDRNOTAVAIL EINTR EACCES EAGAIN",
    "accept": SOCKET + " EINTR EAGAIN ECONNABORTED EPERM", "accept4": SOCKET + " EINTR EAGAIN ECONNABORTED EPERM",
    "getsockname": "ENOBUFS ENOTCONN", "getpeername": "ENOBUFS ENOTCONN", "getsockopt": "ENOMEM ENOBUFS",
    "setsockopt": "ENOMEM ENOBUFS ENOPROTOOPT", "shutdown": "ENOTCONN",
    "sendto": SEND, "sendmsg": SEND, "sendmmsg": SEND, "recvfrom": RECEIVE, "recvmsg": RECEIVE,
    "clone": "EAGAIN ENOMEM", "clone3": "EAGAIN ENOMEM", "vfork": "EAGAIN ENOMEM", "wait4": "EINTR", "memfd_create": "EMFILE ENFILE ENOMEM ENOSYS", "getrandom": "EINTR ENOSYS",
    "clock_nanosleep": "EINTR", "nanosleep": "EINTR", "sysinfo": "EFAULT", "utimensat": "EACCES EROFS",
    "inotify_init1": "EMFILE ENOMEM", "sendfile": "EIO EAGAIN", "splice": "EIO EAGAIN", "getdents64": "EIO ENOENT",
}.items()}

# Calls that do less than asked: they return this count and do nothing. A write that claims to have taken a byte takes
# none, so the judge removes that byte from the expected output. A read that returns 0 is the end of a file.
COUNTS = {"write": [1], "read": [0], "pwrite64": [1], "pread64": [0], "sendto": [1], "sendmsg": [1], "recvfrom": [0], "writev": [1]}

# Calls that no run of ours can be judged by.
MEMORY = "Swift, libc, curl and SQLite end at once when small memory is refused; nothing of ours runs between (large memory: ulimit -v, in ToolLawTests)"
NEVER = "cannot fail when its arguments are good, and ours are constants"
ENDS = "does not come back, or only the kernel acts on its answer"
EXCLUDED = {
    **dict.fromkeys("mmap munmap mprotect mremap brk madvise mlock".split(), MEMORY),
    **dict.fromkeys("rt_sigaction rt_sigprocmask sigaltstack getpid gettid getppid getuid geteuid getgid getegid umask "
                    "clock_gettime clock_getres gettimeofday time times getrusage uname sched_yield sched_getaffinity "
                    "set_tid_address set_robust_list rseq arch_prctl prctl prlimit64 getrlimit setrlimit "
                    "membarrier".split(), NEVER),
    **dict.fromkeys("exit exit_group rt_sigreturn restart_syscall kill tgkill tkill".split(), ENDS),
    "futex": "a lock of libc: it asserts that the kernel keeps its word",
    "execve": "the start itself: what fails here fails in the shell",
}
# Results that say nothing about the tool, by the call as strace shows it.
EXCUSED = {
    r"fcntl\(.*F_UNLCK": "giving a lock back cannot fail on a local file system; SQLite then takes it for held, and waits 10 s",
    r'write\((?!1,)\d+, "\{\\"event\\":\\"e\\",.* = 1 \(INJECTED': "what deliver's COMMAND gets lacks a byte: a kernel that lies is noticed by nobody",
    r'pwrite64\(\d+, "[^"]*", 1, ': "SQLite makes its shared memory longer by one byte; a kernel that says it is longer, and lies, ends in SIGBUS",
}
LOADER = "until the loader has mapped the libraries, no code of ours has run: it says what is missing, status 127"
