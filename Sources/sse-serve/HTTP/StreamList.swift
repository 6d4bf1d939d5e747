// The list of all streams: a page for browsers, which can also show a stream, and JSON for programs.

import FeedCore

/// The list is made once for many clients. Only the head of the page is for one of them.
struct StreamList {
  typealias Line = (name: [UInt8], clients: Int)

  /// How many streams it has.
  let count: Int
  /// Whether it is the page for browsers, not JSON.
  let isHTML: Bool
  /// The JSON, or the items of the page and its end.
  let text: SharedText

  init(_ streams: [Line], asHTML: Bool) {
    count = streams.count
    isHTML = asHTML
    let streams = streams.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    text = SharedText(asHTML ? Self.items(streams) : Self.json(streams))
  }

  /// The media type of the list, for Content-Type.
  var type: String { isHTML ? "text/html; charset=utf-8" : "application/json" }

  /// `{"streams":[{"name":"a/b","path":"/streams/a%2Fb","clients":2}]}`
  private static func json(_ streams: [Line]) -> [UInt8] {
    var output = ByteWriter()
    output.append("{\"streams\":[")
    for (index, stream) in streams.enumerated() {
      output.append(index == 0 ? "{\"name\":" : ",{\"name\":")
      JSONString.write(stream.name.span, to: &output)
      output.append(",\"path\":\"")
      output.append(path(stream.name))
      output.append("\",\"clients\":\(stream.clients)}")
    }
    output.append("]}\n")
    return output.take()
  }

  private static func path(_ name: [UInt8]) -> [UInt8] {
    // A client takes plain dots for a step in the path (RFC 3986 §5.2.4).
    let isDots = [".", ".."].contains { name.elementsEqual($0.utf8) }
    return Array("/streams/".utf8) + name.percentEncoded { $0.isUnreserved && !isDots }
  }

  // MARK: The page

  private static func items(_ streams: [Line]) -> [UInt8] {
    let items = streams.map { stream in
      // Relative, because a proxy may have put a prefix before our paths.
      Array("<li><a href=\"".utf8) + path(stream.name).dropFirst() + Array("\">".utf8) + WebPage.escaped(stream.name)
        + Array("</a></li>\n".utf8)
    }
    return items.joined() + Array("</ul>\n</body>\n</html>\n".utf8)
  }

  /// The page up to its items.
  func head(isPlain: Bool) -> WebPage {
    let title = count == 1 ? "1 stream" : "\(count) streams"
    let body = """
      <body>
      <header>
      <h1>\(title)</h1>
      </header>
      <h2></h2>
      <pre></pre>
      <ul class="streams">

      """
    return WebPage(title: Array(title.utf8), script: isPlain ? Self.viewer : Self.linker, Array(body.utf8))
  }

  private static let linker = """
    // Each link leads to the page of a stream. A token in this page's URL goes with it.
    addEventListener("DOMContentLoaded", () => {
      for (const link of document.links) link.search = location.search;
    });
    """

  /// There is no page of a stream with --plain.
  private static let viewer = """
    // A click shows a stream as it comes. A token in this page's URL goes with the request.
    let last = new AbortController();
    const most = 1e5;
    document.onclick = async (click) => {
      const link = click.target.closest("li a");
      if (!link || click.ctrlKey || click.metaKey || click.shiftKey) return;
      click.preventDefault();
      const [name, text] = ["h2", "pre"].map((tag) => document.querySelector(tag));
      const show = (piece) => {
        const isAtEnd = text.scrollTop + text.clientHeight > text.scrollHeight - 20;
        const whole = text.textContent + piece;
        text.textContent = whole.length > most ? "…" + whole.slice(-most) : whole;
        if (isAtEnd) text.scrollTop = text.scrollHeight;
      };
      last.abort();
      const mine = last = new AbortController();
      [name.textContent, text.textContent] = [link.textContent, ""];
      name.scrollIntoView();
      try {
        const response = await fetch(link.href + location.search, { signal: mine.signal });
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let piece; !(piece = await reader.read()).done && mine === last;) show(piece.value);
        if (mine === last) show("The stream has ended.");
      } catch (error) {
        if (mine === last) show(error);
      }
    };
    """
}
