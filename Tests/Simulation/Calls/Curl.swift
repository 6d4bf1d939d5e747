// libcurl as a simulated tool finds it: requests go to the servers of the world, and responses come as these send them,
// piece by piece, late, torn, or never. Only what transfers use is here. What needs no network, such as libcurl's parser
// of URLs, is the real one.

import CCurl
import Glibc

/// A transfer, in place of libcurl's.
private final class Easy {
  var url = ""
  var method: String?
  var isHead = false
  var body: [UInt8]?
  var bodyCount = 0
  var fields: UnsafeMutablePointer<curl_slist>?
  var takeBody: feed_curl_sink?
  var takeHead: feed_curl_sink?
  var bodyContext: UnsafeMutableRawPointer?
  var headContext: UnsafeMutableRawPointer?
  var isPaused = false
  var exchange: HTTPExchangeOfWorld?
  var result: CURLcode?

  func begin() {
    var lines: [[UInt8]] = []
    var next = fields
    while let field = next {
      lines.append([UInt8](cString: field.pointee.data))
      next = field.pointee.next
    }
    let world = SimulatedMachine.world
    let exchange = HTTPExchangeOfWorld(
      method ?? (isHead ? "HEAD" : body == nil ? "GET" : "POST"), url, lines, body ?? [], world)
    self.exchange = exchange
    world.serve(exchange)
  }

  /// Hands on what has come.
  func perform() {
    guard let exchange, result == nil else { return }
    exchange.isNews = false
    for line in exchange.takeHead() {
      if hand(Array((line + "\r\n").utf8), to: takeHead, headContext) != line.utf8.count + 2 {
        return result = CURLE_WRITE_ERROR
      }
    }
    if isPaused { return }
    let bytes = exchange.takeBody()
    if !bytes.isEmpty {
      let count = hand(bytes, to: takeBody, bodyContext)
      if count == Int(CURL_WRITEFUNC_PAUSE) {
        isPaused = true
        return exchange.giveBack(bytes)
      }
      if count != bytes.count { return result = CURLE_WRITE_ERROR }
    }
    switch exchange.end {
    case nil: break
    case .whole: result = CURLE_OK
    case .refused: result = CURLE_COULDNT_CONNECT
    case .timedOut: result = CURLE_OPERATION_TIMEDOUT
    case .reset: result = CURLE_RECV_ERROR
    case .cut: result = CURLE_PARTIAL_FILE
    }
  }

  private func hand(_ bytes: [UInt8], to sink: feed_curl_sink?, _ context: UnsafeMutableRawPointer?) -> Int {
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { raw in
      sink?(raw.baseAddress?.assumingMemoryBound(to: CChar.self), 1, raw.count, context) ?? 0
    }
  }

  var systemError: Int32 {
    switch exchange?.end {
    case .refused: ECONNREFUSED
    case .reset: ECONNRESET
    default: 0
    }
  }

  var wasSent: Bool { exchange.map { $0.end != .refused && $0.end != .timedOut } ?? false }
}

/// A multi handle.
private final class Multi {
  var transfers: [(easy: Easy, handle: UnsafeMutableRawPointer)] = []
  /// Those whose end has been reported.
  var reported: Set<ObjectIdentifier> = []
}

nonisolated(unsafe) private let message = UnsafeMutablePointer<CURLMsg>.allocate(capacity: 1)

private func handle(_ object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passRetained(object).toOpaque() }

private func easy(_ handle: UnsafeMutableRawPointer) -> Easy { Unmanaged.fromOpaque(handle).takeUnretainedValue() }

private func multi(_ handle: UnsafeMutableRawPointer) -> Multi { Unmanaged.fromOpaque(handle).takeUnretainedValue() }

private func text(_ value: Int) -> String? {
  UnsafePointer<CChar>(bitPattern: value).map { String(cString: $0) }
}

// MARK: Transfers

@_cdecl("sim_curl_easy_init")
func sim_curl_easy_init() -> UnsafeMutableRawPointer? { handle(Easy()) }

@_cdecl("sim_curl_easy_cleanup")
func sim_curl_easy_cleanup(_ handle: UnsafeMutableRawPointer) { Unmanaged<Easy>.fromOpaque(handle).release() }

/// On Linux, a value after the named arguments comes in the same register as a named one.
@_cdecl("sim_curl_easy_setopt")
func sim_curl_easy_setopt(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: Int) -> CURLcode {
  let easy = easy(handle)
  switch option {
  case CURLOPT_URL: easy.url = text(value) ?? ""
  case CURLOPT_CUSTOMREQUEST: easy.method = text(value)
  case CURLOPT_NOBODY: easy.isHead = value != 0
  case CURLOPT_POSTFIELDSIZE_LARGE: easy.bodyCount = value
  case CURLOPT_COPYPOSTFIELDS:
    easy.body = Array(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: value), count: easy.bodyCount))
  case CURLOPT_HTTPHEADER: easy.fields = UnsafeMutablePointer(bitPattern: value)
  case CURLOPT_WRITEFUNCTION: easy.takeBody = unsafeBitCast(value, to: feed_curl_sink.self)
  case CURLOPT_HEADERFUNCTION: easy.takeHead = unsafeBitCast(value, to: feed_curl_sink.self)
  case CURLOPT_WRITEDATA: easy.bodyContext = UnsafeMutableRawPointer(bitPattern: value)
  case CURLOPT_HEADERDATA: easy.headContext = UnsafeMutableRawPointer(bitPattern: value)
  default: break
  }
  return CURLE_OK
}

@_cdecl("sim_curl_easy_getinfo")
func sim_curl_easy_getinfo(
  _ handle: UnsafeMutableRawPointer, _ info: CURLINFO, _ value: UnsafeMutablePointer<Int>
) -> CURLcode {
  switch info {
  case CURLINFO_REQUEST_SIZE: value.pointee = easy(handle).wasSent ? 1 : 0
  case CURLINFO_OS_ERRNO: value.pointee = Int(easy(handle).systemError)
  default: value.pointee = 0
  }
  return CURLE_OK
}

@_cdecl("sim_curl_easy_pause")
func sim_curl_easy_pause(_ handle: UnsafeMutableRawPointer, _ mask: Int32) -> CURLcode {
  easy(handle).isPaused = false
  return CURLE_OK
}

// MARK: All transfers of a client

@_cdecl("sim_curl_global_init")
func sim_curl_global_init(_ flags: Int) -> CURLcode { CURLE_OK }

@_cdecl("sim_curl_global_cleanup")
func sim_curl_global_cleanup() {}

@_cdecl("sim_curl_multi_init")
func sim_curl_multi_init() -> UnsafeMutableRawPointer? { handle(Multi()) }

@_cdecl("sim_curl_multi_cleanup")
func sim_curl_multi_cleanup(_ handle: UnsafeMutableRawPointer) -> CURLMcode {
  Unmanaged<Multi>.fromOpaque(handle).release()
  return CURLM_OK
}

@_cdecl("sim_curl_multi_setopt")
func sim_curl_multi_setopt(_ handle: UnsafeMutableRawPointer, _ option: CURLMoption, _ value: Int) -> CURLMcode {
  CURLM_OK
}

@_cdecl("sim_curl_multi_add_handle")
func sim_curl_multi_add_handle(_ handle: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> CURLMcode {
  guard SimulatedMachine.shared.enter(hasEffect: true) else { return CURLM_INTERNAL_ERROR }
  multi(handle).transfers.append((easy(other), other))
  easy(other).begin()
  return CURLM_OK
}

@_cdecl("sim_curl_multi_remove_handle")
func sim_curl_multi_remove_handle(_ handle: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> CURLMcode {
  let multi = multi(handle)
  multi.transfers.removeAll { $0.handle == other }
  multi.reported.remove(ObjectIdentifier(easy(other)))
  easy(other).exchange?.drop()
  return CURLM_OK
}

@_cdecl("sim_curl_multi_perform")
func sim_curl_multi_perform(_ handle: UnsafeMutableRawPointer, _ running: UnsafeMutablePointer<Int32>) -> CURLMcode {
  guard SimulatedMachine.shared.enter() else { return CURLM_INTERNAL_ERROR }
  let multi = multi(handle)
  for (easy, _) in multi.transfers { easy.perform() }
  running.pointee = Int32(multi.transfers.count { $0.easy.result == nil })
  return CURLM_OK
}

@_cdecl("sim_curl_multi_info_read")
func sim_curl_multi_info_read(
  _ handle: UnsafeMutableRawPointer, _ left: UnsafeMutablePointer<Int32>
) -> UnsafeMutablePointer<CURLMsg>? {
  let multi = multi(handle)
  left.pointee = 0
  for (easy, handle) in multi.transfers {
    guard let result = easy.result, multi.reported.insert(ObjectIdentifier(easy)).inserted else { continue }
    message.pointee = CURLMsg()
    message.pointee.msg = CURLMSG_DONE
    message.pointee.easy_handle = handle
    message.pointee.data.result = result
    return message
  }
  return nil
}

@_cdecl("sim_curl_multi_poll")
func sim_curl_multi_poll(
  _ handle: UnsafeMutableRawPointer, _ others: UnsafeMutablePointer<curl_waitfd>?, _ count: UInt32,
  _ milliseconds: Int32, _ found: UnsafeMutablePointer<Int32>?
) -> CURLMcode {
  let transfers = multi(handle).transfers
  let others = UnsafeMutableBufferPointer(start: others, count: Int(count))
  var polled = others.map { other in
    pollfd(fd: other.fd, events: other.events & Int16(CURL_WAIT_POLLIN) != 0 ? Int16(POLLIN) : 0, revents: 0)
  }
  let result = polled.withUnsafeMutableBufferPointer { polled in
    SimulatedMachine.shared.poll(polled, milliseconds) {
      transfers.contains { $0.easy.exchange?.isNews == true && !$0.easy.isPaused }
    }
  }
  if result < 0 { return CURLM_INTERNAL_ERROR }
  for index in others.indices { others[index].revents = polled[index].revents }
  found?.pointee = Int32(result)
  return CURLM_OK
}
