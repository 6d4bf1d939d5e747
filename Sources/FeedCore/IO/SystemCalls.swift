// The system calls that move bytes, as values.
//
// The tools run on `.libc`. A test hands in its own: reads of one byte, a write that is cut short, EINTR at
// every second call, a disk that fills up. Nothing else in the project calls read(2) or write(2).

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `read(2)` and `write(2)` as the kernel answers them: how many bytes, or -1 with an `errno`.
public struct SystemCalls: Sendable {
  public struct Answer: Equatable, Sendable {
    public let count: Int
    public let errno: Int32

    public init(count: Int, errno: Int32 = 0) {
      self.count = count
      self.errno = errno
    }
  }

  /// Fills free room of a buffer from a descriptor.
  public var read: @Sendable (Int32, inout OutputSpan<UInt8>) -> Answer
  /// Takes bytes for a descriptor.
  public var write: @Sendable (Int32, borrowing Span<UInt8>) -> Answer

  public init(
    read: @escaping @Sendable (Int32, inout OutputSpan<UInt8>) -> Answer = libc.read,
    write: @escaping @Sendable (Int32, borrowing Span<UInt8>) -> Answer = libc.write
  ) {
    self.read = read
    self.write = write
  }

  public static let libc = SystemCalls(
    read: { number, free in
      unsafe free.withUnsafeMutableBufferPointer { target, filled in
        let room = UnsafeMutableRawBufferPointer(target)
        let count = unsafe systemRead(number, room.baseAddress.map { unsafe $0 + filled }, room.count - filled)
        if count > 0 { filled += count }
        return answer(count)
      }
    },
    write: { number, bytes in
      unsafe bytes.withUnsafeBytes { answer(unsafe systemWrite(number, $0.baseAddress, $0.count)) }
    })

  private static func answer(_ count: Int) -> Answer {
    Answer(count: count, errno: count < 0 ? errno : 0)
  }
}

private func systemRead(_ number: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, target, count)
}

private func systemWrite(_ number: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, source, count)
}
