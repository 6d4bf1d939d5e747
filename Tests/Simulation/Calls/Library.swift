// The C library of a simulated tool. The objects of the product call `read`; in the copies that the simulator is linked
// from, objcopy has renamed that to `sim_read`. So nothing in Sources knows of it.
//
// The Makefile takes the names from the lines with `@_cdecl`. Those with `@_silgen_name` take the place of functions that
// Swift wraps because C's have a variable number of arguments.

import CLinux
import Glibc

private var machine: SimulatedMachine { .shared }

private func bytes(_ path: UnsafePointer<CChar>) -> [UInt8] { [UInt8](cString: path) }

/// As the C library: -1 and `errno` for an error.
private func answer(_ result: Int) -> Int32 { Int32(long(result)) }

private func long(_ result: Int) -> Int {
  if result >= 0 { return result }
  errno = Int32(-result)
  return -1
}

// MARK: Time and chance

@_cdecl("sim_clock_gettime")
func sim_clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>) -> Int32 {
  if clock == CLOCK_REALTIME {
    let date = machine.date()
    time.pointee = timespec(tv_sec: Int(date / 1_000_000), tv_nsec: Int(date % 1_000_000) * 1000)
  } else {
    let now = machine.monotonicTime()
    time.pointee = timespec(tv_sec: Int(now), tv_nsec: Int((now - now.rounded(.down)) * 1e9))
  }
  return 0
}

/// What Swift's random numbers are made of.
@_cdecl("sim_swift_stdlib_random")
func sim_swift_stdlib_random(_ target: UnsafeMutableRawPointer, _ count: Int) {
  for index in 0..<count { target.storeBytes(of: UInt8(machine.random() * 256), toByteOffset: index, as: UInt8.self) }
}

// MARK: Files

@_silgen_name("sim_open")
func sim_open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  answer(machine.open(bytes(path), flags))
}

@_cdecl("sim_close")
func sim_close(_ number: Int32) -> Int32 { answer(machine.close(number)) }

@_cdecl("sim_read")
func sim_read(_ number: Int32, _ target: UnsafeMutableRawPointer!, _ count: Int) -> Int {
  long(machine.read(number, UnsafeMutableRawBufferPointer(start: target, count: count)))
}

@_cdecl("sim_write")
func sim_write(_ number: Int32, _ source: UnsafeRawPointer!, _ count: Int) -> Int {
  long(machine.write(number, UnsafeRawBufferPointer(start: source, count: count)))
}

@_cdecl("sim_pread")
func sim_pread(_ number: Int32, _ target: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t) -> Int {
  let byte = machine.readByte(number, at: offset)
  guard byte >= 0, count == 1 else { return 0 }
  target.storeBytes(of: UInt8(byte), as: UInt8.self)
  return 1
}

@_cdecl("sim_lseek")
func sim_lseek(_ number: Int32, _ offset: off_t, _ whence: Int32) -> off_t {
  long(machine.seek(number, offset, whence))
}

@_cdecl("sim_fsync")
func sim_fsync(_ number: Int32) -> Int32 { answer(machine.sync(number)) }

@_cdecl("sim_ftruncate")
func sim_ftruncate(_ number: Int32, _ size: off_t) -> Int32 { answer(machine.truncate(number, to: size)) }

@_cdecl("sim_flock")
func sim_flock(_ number: Int32, _ operation: Int32) -> Int32 { answer(machine.lock(number, operation)) }

@_silgen_name("sim_flags")
func sim_flags(_ number: Int32, _ command: Int32) -> Int32 { answer(machine.flags(of: number)) }

@_silgen_name("sim_set_flags")
func sim_set_flags(_ number: Int32, _ command: Int32, _ value: Int32) -> Int32 {
  switch command {
  case F_SETFL: return answer(machine.setFlags(number, value))
  case F_SETFD: machine.setInherited(number, value & FD_CLOEXEC == 0)
  default: break
  }
  return 0
}

@_cdecl("sim_fchown")
func sim_fchown(_ number: Int32, _ user: uid_t, _ group: gid_t) -> Int32 { 0 }
@_cdecl("sim_fchmod")
func sim_fchmod(_ number: Int32, _ mode: mode_t) -> Int32 { 0 }
@_cdecl("sim_lchown")
func sim_lchown(_ path: UnsafePointer<CChar>, _ user: uid_t, _ group: gid_t) -> Int32 { 0 }
@_cdecl("sim_umask")
func sim_umask(_ mode: mode_t) -> mode_t { 0o022 }

/// Only memfd_create(2) is called by its number.
@_cdecl("sim_syscall")
func sim_syscall(_ number: Int, _ name: UnsafePointer<CChar>!, _ flags: UInt32) -> Int { long(machine.nameless()) }

@_cdecl("sim_pipe")
func sim_pipe(_ numbers: UnsafeMutablePointer<Int32>!) -> Int32 {
  let (output, input) = machine.pipe()
  numbers[0] = Int32(output)
  numbers[1] = Int32(input)
  return answer(min(output, 0))
}

// MARK: Names

@_cdecl("sim_rename")
func sim_rename(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!) -> Int32 {
  answer(machine.rename(bytes(from), bytes(to)))
}

@_cdecl("sim_link")
func sim_link(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
  answer(machine.link(bytes(from), bytes(to)))
}

@_cdecl("sim_unlink")
func sim_unlink(_ path: UnsafePointer<CChar>) -> Int32 { answer(machine.unlink(bytes(path))) }

@_cdecl("sim_access")
func sim_access(_ path: UnsafePointer<CChar>, _ mode: Int32) -> Int32 { 0 }

@_cdecl("sim_realpath")
func sim_realpath(_ path: UnsafePointer<CChar>, _ room: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! {
  machine.status(of: bytes(path)) == nil ? nil : strdup(path)
}

@_cdecl("sim_readlink")
func sim_readlink(_ path: UnsafePointer<CChar>, _ room: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
  long(Int(-EINVAL))
}

@_cdecl("sim_fstat")
func sim_fstat(_ number: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 {
  answer(fill(status, machine.status(of: number), EBADF))
}

@_cdecl("sim_fstatat")
func sim_fstatat(
  _ folder: Int32, _ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>, _ flags: Int32
) -> Int32 {
  answer(fill(status, machine.status(of: bytes(path)), ENOENT))
}

private func fill(_ status: UnsafeMutablePointer<stat>, _ found: FileStatus?, _ missing: Int32) -> Int {
  guard let found else { return Int(-missing) }
  var filled = stat()
  filled.st_mode =
    switch found.kind {
    case .file: S_IFREG | 0o600
    case .folder: S_IFDIR | 0o700
    case .pipe: S_IFIFO | 0o600
    case .socket: S_IFSOCK | 0o600
    }
  filled.st_size = found.size
  filled.st_dev = 1
  filled.st_ino = ino_t(found.node)
  filled.st_atim.tv_sec = found.wasRead ? 1 : 0
  status.pointee = filled
  return 0
}

@_cdecl("sim_futimens")
func sim_futimens(_ number: Int32, _ times: UnsafePointer<timespec>!) -> Int32 {
  machine.forgetReads(number)
  return 0
}

/// The names of the folder that is being read, the last one first. Nothing reads two folders at once.
nonisolated(unsafe) private var namesLeft: [[UInt8]] = []
nonisolated(unsafe) private let entry = UnsafeMutablePointer<dirent>.allocate(capacity: 1)

@_cdecl("sim_opendir")
func sim_opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer! {
  namesLeft = machine.names(in: bytes(path)).reversed()
  return OpaquePointer(bitPattern: 1)
}

@_cdecl("sim_readdir")
func sim_readdir(_ folder: OpaquePointer) -> UnsafeMutablePointer<dirent>! {
  guard let name = namesLeft.popLast() else { return nil }
  let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
  let room = UnsafeMutableRawPointer(entry) + offset
  room.copyMemory(from: name + [0], byteCount: name.count + 1)
  return entry
}

@_cdecl("sim_closedir")
func sim_closedir(_ folder: OpaquePointer) -> Int32 { 0 }

// MARK: Waiting

@_cdecl("sim_poll")
func sim_poll(_ polled: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ milliseconds: Int32) -> Int32 {
  answer(machine.poll(UnsafeMutableBufferPointer(start: polled, count: Int(count)), milliseconds))
}

@_cdecl("sim_epoll_create1")
func sim_epoll_create1(_ flags: Int32) -> Int32 { answer(machine.makeQueue()) }

@_cdecl("sim_epoll_ctl")
func sim_epoll_ctl(
  _ queue: Int32, _ operation: Int32, _ number: Int32, _ event: UnsafeMutablePointer<epoll_event>!
) -> Int32 {
  answer(machine.watch(queue, operation, number, event.pointee.events, event.pointee.data.u64))
}

@_cdecl("sim_epoll_wait")
func sim_epoll_wait(
  _ queue: Int32, _ found: UnsafeMutablePointer<epoll_event>!, _ count: Int32, _ milliseconds: Int32
) -> Int32 {
  let (result, events) = machine.takeEvents(queue, upTo: Int(count), milliseconds)
  for (index, event) in events.enumerated() {
    found[index].events = event.events
    found[index].data.u64 = event.token
  }
  return answer(result)
}

// MARK: Sockets

@_cdecl("sim_socket")
func sim_socket(_ family: Int32, _ kind: Int32, _ proto: Int32) -> Int32 { answer(machine.makeSocket()) }
@_cdecl("sim_bind")
func sim_bind(_ number: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 { 0 }
@_cdecl("sim_listen")
func sim_listen(_ number: Int32, _ backlog: Int32) -> Int32 { answer(machine.listen(number)) }

@_cdecl("sim_connect")
func sim_connect(_ number: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32 {
  answer(Int(-ECONNREFUSED))
}

@_cdecl("sim_accept")
func sim_accept(
  _ number: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 {
  name(address, length)
  return answer(machine.accept(number))
}

@_cdecl("sim_getsockname")
func sim_getsockname(
  _ number: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 {
  name(address, length)
  return 0
}

/// 127.0.0.1:8080.
private func name(_ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>) {
  var internet = sockaddr_in()
  internet.sin_family = sa_family_t(AF_INET)
  internet.sin_port = in_port_t(8080).bigEndian
  internet.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  length.pointee = socklen_t(MemoryLayout<sockaddr_in>.size)
  UnsafeMutableRawPointer(address).copyMemory(from: &internet, byteCount: MemoryLayout<sockaddr_in>.size)
}

@_cdecl("sim_shutdown")
func sim_shutdown(_ number: Int32, _ how: Int32) -> Int32 {
  machine.shutDown(number)
  return 0
}

@_cdecl("sim_setsockopt")
func sim_setsockopt(
  _ number: Int32, _ level: Int32, _ option: Int32, _ value: UnsafeRawPointer!, _ length: socklen_t
) -> Int32 { 0 }

@_cdecl("sim_getsockopt")
func sim_getsockopt(
  _ number: Int32, _ level: Int32, _ option: Int32, _ value: UnsafeMutableRawPointer!,
  _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 {
  value.storeBytes(of: 0, as: Int32.self)
  return 0
}

// MARK: Processes and terminals

@_cdecl("sim_getpid")
func sim_getpid() -> pid_t { machine.identifier() }
@_cdecl("sim_getpgid")
func sim_getpgid(_ process: pid_t) -> pid_t { process }
@_cdecl("sim_kill")
func sim_kill(_ process: pid_t, _ signal: Int32) -> Int32 { answer(machine.kill(process, signal)) }
@_cdecl("sim_raise")
func sim_raise(_ signal: Int32) -> Int32 { fatalError("a tool dies of signal \(signal)") }
@_cdecl("sim_isatty")
func sim_isatty(_ number: Int32) -> Int32 { 0 }
@_cdecl("sim_getenv")
func sim_getenv(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>! { nil }

@_cdecl("sim_signal")
func sim_signal(_ number: Int32, _ handler: __sighandler_t!) -> __sighandler_t! {
  machine.setHandler(number, handler)
  return nil
}

@_cdecl("sim_sigprocmask")
func sim_sigprocmask(_ how: Int32, _ set: UnsafePointer<sigset_t>!, _ old: UnsafeMutablePointer<sigset_t>!) -> Int32 {
  0
}

@_cdecl("sim_waitpid")
func sim_waitpid(_ process: pid_t, _ status: UnsafeMutablePointer<Int32>!, _ options: Int32) -> pid_t {
  let (found, ending) = machine.ended(process)
  status.pointee = ending
  return answer(found)
}

/// What the next process gets, by its own numbers.
nonisolated(unsafe) private var childFiles: [Int32: Int32] = [:]

@_cdecl("sim_posix_spawn_file_actions_adddup2")
func sim_posix_spawn_file_actions_adddup2(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ number: Int32, _ own: Int32
) -> Int32 {
  childFiles[own] = number
  return 0
}

@_cdecl("sim_posix_spawnp")
func sim_posix_spawnp(
  _ process: UnsafeMutablePointer<pid_t>!, _ program: UnsafePointer<CChar>,
  _ actions: UnsafePointer<posix_spawn_file_actions_t>!, _ attributes: UnsafePointer<posix_spawnattr_t>!,
  _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, _ variables: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  defer { childFiles = [:] }
  let result = machine.spawn(texts(arguments), texts(variables), childFiles)
  if result < 0 { return Int32(-result) }
  process.pointee = pid_t(result)
  return 0
}

private func texts(_ pointers: UnsafePointer<UnsafeMutablePointer<CChar>?>) -> [[UInt8]] {
  var found: [[UInt8]] = []
  while let text = pointers[found.count] { found.append([UInt8](cString: text)) }
  return found
}
