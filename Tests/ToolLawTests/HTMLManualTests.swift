import Foundation
import TestSupport
import Testing

/// `make doc`: the manual as HTML.
@Suite(.enabled(if: Repository.has("mandoc") && Repository.has("python3"))) struct HTMLManualTests {
  let folder: ScratchFolder
  /// The text of each page, by the name of its file.
  let pages: [String: String]

  init() throws {
    let scratch = try ScratchFolder()
    let result = try Command.shell("\(Command.quote(Repository.path("man/html/pages"))) .", in: scratch.path)
    try #require(result.status == 0 && result.error.isEmpty, "\(result.error)")
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasSuffix(".html") }
    pages = try Dictionary(uniqueKeysWithValues: names.map { ($0, try scratch.read($0)) })
    folder = scratch
  }

  @Test func everyPageIsThere() throws {
    #expect(ManPage.all.count >= 11)
    #expect(pages.count == ManPage.all.count + 1)
    let index = try #require(pages["index.html"])
    for source in ManPage.all {
      let name = source.dropFirst("man/".count)
      let text = try Repository.contents(source)
      let purpose = try #require(text.firstMatch(of: /\n\.Nd (.*)\n/)).1
      #expect(index.contains("<dt><a href=\"\(name).html\">"), "\(name)")
      #expect(index.contains("<dd>\(purpose)</dd>"), "\(name)")
    }
  }

  /// Each link leads to a file that exists, with the place in it, or to the one site that has the pages of others.
  @Test func everyLinkLeadsSomewhere() throws {
    var count = 0
    let sources = try ManPage.all.map(Repository.contents).joined()
    let places = pages.mapValues { text in text.matches(of: /\bid="([^"]*)"/).map { String($0.1) } }
    for (name, text) in pages {
      #expect(Set(places[name] ?? []).count == places[name]?.count, "\(name): the same id twice")
      for match in text.matches(of: /<(?:a|link)\b[^>]*\bhref="([^"]*)"/) {
        let link = match.1.replacing("&amp;", with: "&").removingPercentEncoding ?? ""
        count += 1
        if link.wholeMatch(of: /https:\/\/manpages\.debian\.org\/[a-z0-9_-]+\.[1-8]/) != nil { continue }
        // Other links are written in the page source.
        if link.hasPrefix("https://"), sources.contains(link) { continue }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let file = parts[0].isEmpty ? name : parts[0]
        #expect(FileManager.default.fileExists(atPath: folder.file(file)), "\(name): \(link)")
        if parts.count == 2 { #expect(places[file]?.contains(parts[1]) == true, "\(name): \(link)") }
      }
    }
    #expect(count > 1000)
  }

  @Test func noPageNeedsAScript() {
    for (name, text) in pages { #expect(!text.contains("<script"), "\(name)") }
  }

  /// On a phone and on a desktop: content that is too wide scrolls within the page. A browser lists what is too wide.
  @Test(.enabled(if: Repository.has("chromium-headless-shell")), arguments: [320, 360, 1280])
  func noPageMovesSideways(_ width: Int) throws {
    let frames = pages.keys.sorted().map { "<iframe width=\(width) height=800 src='\($0)'></iframe>" }.joined()
    _ = try folder.write(
      "frames.html",
      """
      <!doctype html><body>\(frames)<p id=response><script>
      onload = () => response.textContent = "measured: " + Array.from(document.querySelectorAll("iframe"), frame =>
        frame.contentDocument.documentElement.scrollWidth > \(width) ? frame.getAttribute("src") : "fits").join(" ")
      </script>
      """)
    let result = try Command.shell(
      "chromium-headless-shell --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir=profile "
        + "--dump-dom file://$PWD/frames.html", in: folder.path)
    let fits = Array(repeating: "fits", count: pages.count).joined(separator: " ")
    #expect(result.text.contains("measured: \(fits)<"), "\(result.text.suffix(400))\(result.error)")
  }
}
