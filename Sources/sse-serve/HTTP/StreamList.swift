// The list of all streams: a page for browsers, which can also show a stream, and JSON for programs.

import FeedCore

struct StreamList {
  let type: String
  /// The Content-Security-Policy of the page.
  private(set) var policy: String?
  let text: Publisher.Text

  init(_ table: StreamTable, asHTML: Bool) {
    let streams = table.all.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    guard asHTML else {
      type = "application/json"
      text = Publisher.Text(Self.json(streams))
      return
    }
    // Names cannot become scripts: they are escaped, and only a script with this number runs.
    let nonce = String(decoding: Base64.encoded((0..<16).map { _ in .random(in: .min ... .max) }), as: UTF8.self)
    type = "text/html; charset=utf-8"
    policy =
      "default-src 'none'; connect-src 'self'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    text = Publisher.Text(Self.html(streams, nonce))
  }

  /// `{"streams":[{"name":"a/b","path":"/streams/a%2Fb","clients":2}]}`
  private static func json(_ streams: [ServedStream]) -> [UInt8] {
    var output = ByteWriter()
    output.append("{\"streams\":[")
    for (index, stream) in streams.enumerated() {
      output.append(index == 0 ? "{\"name\":" : ",{\"name\":")
      let name = stream.name
      JSONString.write(name.span, to: &output)
      output.append(",\"path\":\"")
      output.append(path(stream))
      output.append("\",\"clients\":\(stream.clients.count)}")
    }
    output.append("]}\n")
    return output.take()
  }

  private static func path(_ stream: ServedStream) -> [UInt8] {
    // A client takes plain dots for a step in the path (RFC 3986 §5.2.4).
    let isDots = [".", ".."].contains { stream.name.elementsEqual($0.utf8) }
    return Array("/streams/".utf8) + stream.name.percentEncoded { $0.isUnreserved && !isDots }
  }

  /// As text of an element of HTML. A name may have control characters.
  private static func escaped(_ name: [UInt8]) -> [UInt8] {
    name.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "<"): Array("&lt;".utf8)
      case UInt8(ascii: "&"): Array("&amp;".utf8)
      case 0..<0x20, 0x7F: Array("\u{FFFD}".utf8)
      default: [byte]
      }
    }
  }

  // MARK: The page

  private static func html(_ streams: [ServedStream], _ nonce: String) -> [UInt8] {
    let title = streams.count == 1 ? "1 stream" : "\(streams.count) streams"
    let head = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style nonce="\(nonce)">
      :root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
      body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem }
      ul { columns: 14rem; padding-left: 1.2rem }
      li, pre { overflow-wrap: anywhere }
      pre { white-space: pre-wrap; max-height: 70vh; overflow-y: auto }
      </style>
      </head>
      <body>
      <h1>\(title)</h1>
      <ul>

      """
    let items = streams.map { stream in
      Array("<li><a href=\"".utf8) + path(stream) + Array("\">".utf8) + escaped(stream.name) + Array("</a></li>\n".utf8)
    }
    let foot = """
      </ul>
      <h2></h2>
      <pre></pre>
      <script nonce="\(nonce)">
      // A click shows a stream as it comes. A token in this page's URL goes with the request.
      const [list, name, text] = ["ul", "h2", "pre"].map((tag) => document.querySelector(tag));
      let last = new AbortController();
      list.onclick = async (click) => {
        const link = click.target.closest("a");
        if (!link) return;
        click.preventDefault();
        last.abort();
        const mine = last = new AbortController();
        [name.textContent, text.textContent] = [link.textContent, ""];
        try {
          const answer = await fetch(link.href + location.search, { signal: mine.signal });
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          for (let piece; !(piece = await reader.read()).done && mine === last;)
            text.textContent = (text.textContent + piece.value).slice(-1e5);
          if (mine === last) text.textContent += "The stream has ended.";
        } catch (error) {
          if (mine === last) text.textContent += error;
        }
      };
      </script>
      </body>
      </html>

      """
    return Array(head.utf8) + items.joined() + Array(foot.utf8)
  }
}
