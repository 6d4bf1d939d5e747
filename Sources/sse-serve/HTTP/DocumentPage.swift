// The page of a document stream: a browser that opens the URL of the stream sees the document, as it changes.

import FeedCore

/// The page gets the same stream as every other client. The events have the names that the options give them.
struct DocumentPage {
  let page: WebPage

  /// - Parameter name: of the stream; empty for the only one.
  init(of name: [UInt8], _ options: Options) {
    let title = name.isEmpty ? Array("Live document".utf8) : WebPage.escaped(name)
    let home = name.isEmpty ? "" : "<a href=\"..\">All streams</a>\n"
    let body =
      Array("<body data-document=\"".utf8) + WebPage.escaped(options.dataEvent.name)
      + Array("\" data-patch=\"".utf8) + WebPage.escaped(options.patchEvent.name) + Array("\">\n<header>\n<h1>".utf8)
      + title
      + Array(
        """
        </h1>
        <p id="state" role="status" class="waiting">Connecting</p>
        <nav>
        <a id="json" href="snapshot">JSON</a>
        \(home)</nav>
        </header>
        <p id="report" role="alert"></p>
        <main></main>
        <noscript><p>This page needs JavaScript. The link “JSON” does not.</p></noscript>
        </body>
        </html>

        """.utf8)
    page = WebPage(title: title, script: patchScript + viewScript + Self.script, body)
  }

  private static let script = #"""
    // The stream, whose URL is that of this page. A token in the query goes with it. Where the stream begins does not.
    const query = location.search.slice(1).split("&").filter((pair) => pair && !/^last-?event-?id=/i.test(pair));
    const withQuery = (path) => path + (query.length ? "?" + query.join("&") : "");

    let source, content, names, retry;
    let delay = 1;

    const find = (selector) => document.querySelector(selector);

    const setState = (kind, text) => {
      const state = find("#state");
      [state.className, state.textContent] = [kind, text];
    };

    const report = (text) => {
      find("#report").textContent = text;
    };

    const connect = () => {
      source = new EventSource(withQuery(location.pathname));
      for (const type of new Set(["open", "error", "snapshot", "merge", names.document, names.patch])) {
        source.addEventListener(type, take);
      }
    };

    const connectLater = () => {
      source.close();
      clearTimeout(retry);
      retry = setTimeout(connect, delay * 1000);
      delay = Math.min(2 * delay, 30);
      setState("waiting", "Reconnecting");
    };

    const take = (event) => {
      if (event.target !== source) return;
      // An event of the stream may have any name, also those of the connection's own events.
      if (event instanceof MessageEvent) takeMessage(event);
      else if (event.type === "open") setState("live", content === undefined ? "Live, no document yet" : "Live");
      // After a response that is no stream, the browser does not try again.
      else if (source.readyState === EventSource.CLOSED) connectLater();
      else setState("waiting", "Reconnecting");
    };

    const takeMessage = ({ type, data }) => {
      const isWhole = type === names.document || type === "snapshot";
      if (!isWhole && type !== names.patch && type === "error") return report("The sender reports: " + data);
      try {
        const value = readJSON(data);
        if (!isWhole && content === undefined) throw new Error("there is no document yet");
        content = isWhole ? value : type === names.patch ? patched(content, value) : merged(content, value);
      } catch (problem) {
        // A new connection begins with the document.
        report("A change does not fit, so this page asks for the document again (" + problem.message + ").");
        return connectLater();
      }
      if (isWhole) report("");
      delay = 1;
      setState("live", "Live, changed " + new Date().toLocaleTimeString());
      drawSoon();
    };

    // Draws at most once for each picture of the screen, and not at all while nobody sees the page.
    let [main, isDrawing] = [null, false];
    const drawSoon = () => {
      if (isDrawing) return;
      isDrawing = true;
      requestAnimationFrame(() => {
        isDrawing = false;
        [room, depth, marks] = [2000, 0, main ? 1000 : 0];
        main ??= new ValueCell(find("main"));
        main.show(content);
      });
    };

    addEventListener("DOMContentLoaded", () => {
      names = document.body.dataset;
      find("#json").href = withQuery(location.pathname.replace(/\/?$/, "/snapshot"));
      for (const home of document.querySelectorAll("[href='..']")) home.href = withQuery("..");
      connect();
      setTimeout(() => {
        if (content === undefined && source.readyState === EventSource.CONNECTING) {
          report("There is no connection yet. A browser has at most six to a server: other pages may use them.");
        }
      }, 10_000);
    });
    """#
}
