// The machine that a simulated tool runs on, in place of the kernel. The simulator has one; this file and
// Library.swift are compiled into FeedCore, where they take the place of the C library.

/// What the system calls do. Each returns a result as the kernel does: at least 0, or an error number below 0.
package protocol Machine: AnyObject {
  /// In seconds, and in microseconds since 1970.
  func monotonicTime() -> Double
  func date() -> Int64
  /// From 0 to 1.
  func random() -> Double

  func open(_ path: [UInt8], _ flags: Int32) -> Int
  func close(_ number: Int32) -> Int
  func read(_ number: Int32, _ target: UnsafeMutableRawBufferPointer) -> Int
  func write(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
  func readByte(_ number: Int32, at offset: Int) -> Int
  func seek(_ number: Int32, _ offset: Int, _ whence: Int32) -> Int
  func sync(_ number: Int32) -> Int
  func truncate(_ number: Int32, to size: Int) -> Int
  func lock(_ number: Int32, _ operation: Int32) -> Int
  func flags(of number: Int32) -> Int
  func setFlags(_ number: Int32, _ flags: Int32) -> Int
  func setInherited(_ number: Int32, _ isInherited: Bool)
  func nameless() -> Int
  func pipe() -> (output: Int, input: Int)

  func rename(_ from: [UInt8], _ to: [UInt8]) -> Int
  func link(_ from: [UInt8], _ to: [UInt8]) -> Int
  func unlink(_ path: [UInt8]) -> Int
  func status(of path: [UInt8]) -> FileStatus?
  func status(of number: Int32) -> FileStatus?
  func forgetReads(_ number: Int32)
  func names(in folder: [UInt8]) -> [[UInt8]]

  /// - Parameter milliseconds: -1 for ever.
  func poll(_ polled: UnsafeMutableBufferPointer<pollfd>, _ milliseconds: Int32) -> Int
  func makeQueue() -> Int
  func watch(_ queue: Int32, _ operation: Int32, _ number: Int32, _ events: UInt32, _ token: UInt64) -> Int
  func takeEvents(_ queue: Int32, upTo count: Int, _ milliseconds: Int32) -> (Int, [(events: UInt32, token: UInt64)])

  func makeSocket() -> Int
  func listen(_ number: Int32) -> Int
  func accept(_ number: Int32) -> Int
  func shutDown(_ number: Int32)

  func identifier() -> Int32
  func spawn(_ arguments: [[UInt8]], _ variables: [[UInt8]], _ files: [Int32: Int32]) -> Int
  /// A process that has ended, and its status; 0 if it has not. -1 asks for any child.
  func ended(_ process: Int32) -> (Int, Int32)
  func kill(_ process: Int32, _ signal: Int32) -> Int
  func setHandler(_ signal: Int32, _ handler: (@convention(c) (Int32) -> Void)?)
}

package struct FileStatus {
  package enum Kind { case file, folder, pipe, socket }
  package var kind: Kind
  package var size = 0
  package var node = 0
  /// Whether it has been read since `forgetReads`.
  package var wasRead = true

  package init(_ kind: Kind, size: Int = 0, node: Int, wasRead: Bool = true) {
    self.kind = kind
    self.size = size
    self.node = node
    self.wasRead = wasRead
  }
}

package enum Simulated {
  /// The one machine; the simulator sets it before anything else.
  nonisolated(unsafe) package static var machine: (any Machine)!
}
