// `--filter COMMAND`: what a server or a file sends becomes a page by a command of the shell.

import FeedCore
import FeedHTTP

/// The command, run once for each body.
///
/// Its standard input is a nameless file that contains the whole body, as deliver's COMMAND gets its records. So neither
/// waits for the other, and a command that does not read all of it makes no error. Its standard error is ours.
struct PageFilter {
  /// What the command gets.
  struct Body {
    let bytes: [UInt8]
    /// For messages.
    let source: String
    /// Its first line, or the title of an HTML page, for messages.
    let beginning: String
    /// Nil if it does not come from a server.
    var url: [UInt8]?
    var contentType: [UInt8]?
  }

  private let command: [UInt8]
  private let options: Options
  private let streams: StandardStreams
  /// The wait for its end.
  private var wait = SilentWait()
  private var notes: NotePrinter

  /// - Returns: nil without `--filter`.
  init?(_ options: Options, _ streams: StandardStreams) {
    guard let command = options.filterCommand else { return nil }
    (self.command, self.options, self.streams) = (command, options, streams)
    notes = NotePrinter(options, streams)
  }

  /// - Returns: the output of the command.
  /// - Throws: status 2 if the command fails or writes too much, 4 if it takes too long.
  mutating func page(of body: Body) throws(ToolFailure) -> [UInt8] {
    let children = try naming(nil, Signals.childrenEnding())
    defer { Signals.ignoreChildren(children) }
    let (output, end) = try naming(nil, Descriptor.pipe())
    defer { output.closeQuietly() }
    var child: ChildProcess
    do throws(SystemError) {
      defer { end.closeQuietly() }
      try output.stopWaiting()
      let input = try ChildInput(body.bytes.span)
      defer { input.close() }
      child = try ChildProcess(
        [Array("/bin/sh".utf8), Array("-c".utf8), command],
        variables: [("FEED_URL", body.url), ("FEED_CONTENT_TYPE", body.contentType)],
        input: input, output: end, error: streams.error, endsWithUs: true)
    } catch {
      throw .failed(.error, "cannot run --filter: " + error.message, source: body.source)
    }
    do throws(ToolFailure) {
      let page = try read(output, until: &child, children, body)
      guard let ending = child.ending, ending != .exited(0) else { return page }
      let words = body.bytes.isEmpty ? "the body is empty" : "the body begins with: " + body.beginning
      throw .failed(.error, "--filter: \(ending.words); " + words, source: body.source)
    } catch {
      if child.ending == nil { child.endAtOnce() }
      throw error
    }
  }

  /// Reads what the command writes, until it has ended.
  private mutating func read(
    _ output: Descriptor, until child: inout ChildProcess, _ children: Descriptor, _ body: Body
  ) throws(ToolFailure) -> [UInt8] {
    let deadline = Clock.monotonic() + options.requestTimeout
    var page: [UInt8] = []
    var (isOpen, isInterrupted) = (true, false)
    wait.begin(streams)
    defer { wait.end() }
    while true {
      do throws(SystemError) {
        if !isOpen { try child.update() }
        if child.ending != nil { return page }
        let interest = Descriptor.Interest(isOpen ? output : children, .input)
        // If the byte that reports its end is ever lost, this costs a second.
        let limit = min(deadline, wait.dueTime ?? .infinity, isOpen ? .infinity : Clock.monotonic() + 1)
        let (ready, interruption) = try Interrupts(streams.output).wait(for: [interest], until: limit)
        isInterrupted = interruption != nil
        if ready[0] {
          if isOpen {
            isOpen = try output.readAvailable(upTo: ByteReader.chunkSize, into: &page) != 0
          } else {
            var bytes: [UInt8] = []
            _ = try children.readAvailable(upTo: ByteReader.chunkSize, into: &bytes)
          }
        }
      } catch { throw .waiting(error) }
      if isInterrupted { throw .brokenPipe }
      if page.count > options.maxSize {
        throw .failed(
          .error, "--filter: a page of more than \(options.maxSize) bytes (--max-size)", source: body.source)
      }
      if Clock.monotonic() >= deadline {
        let time = secondsText(options.requestTimeout)
        throw .failed(.tryAgain, "--filter took longer than \(time) s (--request-timeout)", source: body.source)
      }
      if let report = wait.report() { try name(report, body) }
    }
  }

  private mutating func name(_ report: SilentWait.Report, _ body: Body) throws(ToolFailure) {
    let text = report.words("no end of --filter")
    try notes.print(.waiting, body.source, text)
    guard report.isFirst || options.isVerbose, !options.http.isSilent else { return }
    streams.say(Diagnostic(text, source: body.source))
  }
}

extension Options {
  /// The pages of a file or of standard input: with `--filter`, the whole of it is one body.
  /// - Returns: what to read, and its name in messages. The caller closes it, unless it is standard input.
  func openPages(
    _ file: InputFile, _ streams: StandardStreams
  ) throws(ToolFailure) -> (file: InputFile, descriptor: Descriptor) {
    let descriptor = try file.openFeed(streams)
    guard var filter = PageFilter(self, streams) else { return (file, descriptor) }
    defer { if !file.isStandardInput { descriptor.closeQuietly() } }
    let bytes = try file.readAll(from: descriptor, limit: maxSize, option: "--max-size")
    let beginning = HTTPExcerpt.words(of: bytes, hiding: [])
    let url = base.map { Array($0.text.utf8) }
    let page = try filter.page(
      of: PageFilter.Body(bytes: bytes, source: file.name, beginning: beginning, url: url))
    return (InputFile(Array("--filter".utf8)), try naming(nil, ChildInput(page.span)).file)
  }
}

extension PageFilter {
  /// Replaces the body of a page by the output of the command.
  /// - Parameter secrets: what messages must not quote, besides those of the request.
  /// - Throws: also if the output is no page.
  mutating func apply(to finished: inout FinishedRequest, hiding secrets: [[UInt8]]) throws(ToolFailure) {
    guard case .success(let response) = finished.result else { return }
    let body = Body(
      bytes: response.body, source: response.url.display,
      beginning: HTTPExcerpt.words(of: response.body, for: response.request, hiding: secrets),
      url: Array(response.url.text.utf8), contentType: response.head.value(of: "content-type"))
    finished.replaceBody(by: try page(of: body), options)
    guard case .success(let filtered) = finished.result else { return }
    if filtered.body.isEmpty, options.walk.items != .lines {
      throw .failed(.error, "--filter: expected a page, found nothing", source: body.source)
    }
    guard let fault = finished.fault else { return }
    let found = HTTPExcerpt.failure(fault, in: filtered).diagnostic.hidingSecrets(of: response.request, and: secrets)
    throw .failed(.error, "--filter: " + found.text, source: found.source, place: found.place)
  }
}
