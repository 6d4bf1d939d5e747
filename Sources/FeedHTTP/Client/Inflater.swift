import FeedCore
import FeedZlib

/// Decodes one content coding: gzip with its members and padding, or deflate in both of its forms.
///
/// It unpacks no more than it is asked for, so a few bytes that expand to gigabytes take no memory: the rest waits,
/// packed. Everything before an error is returned before the error.
package final class Inflater {
  /// The codings that are known (RFC 9110 §8.4.1).
  package enum Coding { case gzip, deflate }

  private enum InflaterState: Equatable {
    /// Nothing has been read.
    case start
    /// Inside a stream, which must reach its end.
    case inside
    /// After a member of gzip: another one may follow (RFC 1952 §2.2), or zeros, as tapes and gzip(1) write them.
    case afterMember
    case padding
    /// After a stream of deflate.
    /// - Parameter allowed: how many bytes may follow.
    case afterStream(allowed: Int)
  }

  /// The first byte of a member.
  private static let memberStart: UInt8 = 0x1F

  private let coding: Coding
  /// What the data is, for messages.
  private let noun: String
  private var wrapping = InflaterStream.Wrapping.gzip
  private var stream: InflaterStream?
  private var place = InflaterState.start
  private var input: [UInt8] = []
  private var index = 0
  /// Whether the last step filled all the room that it had, so that zlib may hold more.
  private var wasFull = false
  private var failure: HTTPError?

  /// - Parameter noun: what the data is, for messages.
  package init(_ coding: Coding, of noun: String = "response") {
    self.coding = coding
    self.noun = noun
  }

  /// Whether `next` needs input.
  private var isHungry: Bool { index == input.count && !wasFull }

  /// Appends the next bytes to `output`, until it holds `size` bytes.
  /// - Parameter refill: replaces its empty argument by more input; false if there is none now.
  /// - Throws: an error, from here or from `refill`, after returning everything before it.
  package func unpack(
    to output: inout [UInt8], upTo size: Int, refill: (inout [UInt8]) throws(HTTPError) -> Bool
  ) throws(HTTPError) {
    while failure == nil, output.count < size {
      do throws(HTTPError) {
        if isHungry {
          input.removeAll(keepingCapacity: true)
          index = 0
          guard try refill(&input) else { return }
        }
        try step(to: &output, room: size - output.count)
      } catch {
        failure = error
      }
    }
    if output.isEmpty, let failure { throw failure }
  }

  /// Ends the input. It is an error if the data has not reached its end; empty input is valid.
  package func finish() throws(HTTPError) {
    if let failure { throw failure }
    if place == .inside {
      throw HTTPError(.transient, "the \(noun) ends before the end of its compressed data")
    }
  }

  private func step(to output: inout [UInt8], room: Int) throws(HTTPError) {
    switch place {
    case .start:
      wrapping = coding == .gzip ? .gzip : Self.wrapping(ofDeflate: input[index])
      do { stream = try InflaterStream(wrapping) } catch { throw HTTPError(.local, error.message) }
      place = .inside
    case .inside: try run(to: &output, room: room)
    case .afterMember where input[index] == Self.memberStart:
      stream?.restart()
      place = .inside
    case .afterMember, .padding:
      place = .padding
      while index < input.count, input[index] == 0 { index += 1 }
      if index < input.count { throw goesOn }
    case .afterStream(let allowed):
      let left = allowed - (input.count - index)
      guard left >= 0 else { throw goesOn }
      index = input.count
      place = .afterStream(allowed: left)
    }
  }

  private func run(to output: inout [UInt8], room: Int) throws(HTTPError) {
    let before = output.count
    let bytes = input
    let progress: InflaterStream.InflatedPart?
    do { progress = try stream?.run(bytes.span, from: &index, room: room, to: &output) } catch {
      throw HTTPError(.local, error.message)
    }
    switch progress {
    case .end:
      wasFull = false
      // Some servers leave out the header and send only the checksum; curl accepts that too.
      place = coding == .gzip ? .afterMember : .afterStream(allowed: wrapping == .none ? 4 : 0)
    case .damaged(let reason):
      throw HTTPError(.transient, "the compressed data of the \(noun) is damaged: \(reason)")
    case .more, nil: wasFull = output.count - before == room
    }
  }

  /// Whether data of the coding `deflate` that begins with this byte ends with a checksum.
  package static func hasChecksum(deflate first: UInt8) -> Bool { wrapping(ofDeflate: first) == .zlib }

  /// `deflate` is the zlib format (RFC 9110 §8.4.1.2), but some servers send deflate without it. A zlib header begins
  /// with method 8 and a window of at most 32 KiB (RFC 1950 §2.2). Plain deflate would begin like that only with a
  /// stored block whose padding has a bit set. No compressor writes that.
  private static func wrapping(ofDeflate first: UInt8) -> InflaterStream.Wrapping {
    first & 0x0F == 8 && first >> 4 <= 7 ? .zlib : .none
  }

  private var goesOn: HTTPError {
    HTTPError(.permanent, "the \(noun) goes on after the end of its compressed data")
  }
}
