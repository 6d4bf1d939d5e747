// What the pages for browsers have in common: their head, their style, and what they may do.

import FeedCore

/// A page up to the end of its body, or up to a part that many clients share.
struct WebPage {
  let text: [UInt8]
  /// Its Content-Security-Policy. Text of a stream cannot become a script: it is escaped, and only a script with the
  /// number of this page runs.
  let policy: String

  /// - Parameters:
  ///   - title: escaped.
  ///   - body: with its tag.
  init(title: [UInt8], script: String, _ body: [UInt8]) {
    let nonce = String(decoding: Base64.encoded((0..<16).map { _ in .random(in: .min ... .max) }), as: UTF8.self)
    policy =
      "default-src 'none'; connect-src 'self'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    let (beforeTitle, afterTitle) = (
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>
      """,
      """
      </title>
      <style nonce="\(nonce)">
      \(Self.style)
      </style>
      <script nonce="\(nonce)">
      \(script)
      </script>
      </head>

      """
    )
    text = Array(beforeTitle.utf8) + title + Array(afterTitle.utf8) + body
  }

  /// As text of an element of HTML, or of an attribute in quotes. A name may have control characters.
  static func escaped(_ name: [UInt8]) -> [UInt8] {
    var name = name
    name.repairUTF8()
    return name.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "<"): Array("&lt;".utf8)
      case UInt8(ascii: "&"): Array("&amp;".utf8)
      case UInt8(ascii: "\""): Array("&quot;".utf8)
      case 0..<0x20, 0x7F: Array("\u{FFFD}".utf8)
      default: [byte]
      }
    }
  }

  private static let style = """
    :root {
      color-scheme: light dark;
      font: 1rem/1.5 system-ui, sans-serif;
      --text: #1d2127; --quiet: #59626e; --line: #dfe3e8; --back: #fff; --head: #f5f6f8;
      --accent: #0b57d0; --mark: #ffe9a0; --live: #1a7f37; --waiting: #9a5b00;
      color: var(--text); background: var(--back);
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --text: #e4e7eb; --quiet: #9da7b3; --line: #343a42; --back: #15181c; --head: #1f2329;
        --accent: #8ab4f8; --mark: #5c4d12; --live: #4cc26c; --waiting: #e3a341;
      }
    }
    body { max-width: 80rem; margin: 0 auto; padding: 0 1rem 2rem; }
    header {
      display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.25rem; padding: .75rem 0 .5rem;
      margin-bottom: .75rem; border-bottom: 1px solid var(--line); background: var(--back);
    }
    h1 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
    h2:empty, pre:empty, #report:empty { display: none; }
    header p, nav { margin: 0; font-size: .9rem; font-variant-numeric: tabular-nums; }
    header p { flex: 1; white-space: nowrap; }
    nav { display: flex; gap: 1rem; }
    a { color: var(--accent); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    #state::before {
      content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .45em; border-radius: 50%;
    }
    #state.live::before { background: var(--live); }
    #state.waiting::before { border: 2px solid var(--waiting); box-sizing: border-box; }
    #report {
      padding: .5rem .75rem; border-left: 3px solid var(--waiting); background: var(--head); overflow-wrap: anywhere;
    }

    ul { margin: 0; padding: 0 0 0 1rem; list-style: none; }
    ul.streams { columns: 14rem; padding: 0; }
    ul.streams a { display: block; padding: .2rem 0; }
    li { overflow-wrap: anywhere; }
    main li { display: grid; grid-template-columns: min(11rem, 36%) minmax(0, 1fr); gap: 0 .75rem; padding: .1rem 0; }
    main li.branch { display: block; }
    main > details > ul { padding-left: 0; }
    main .list > li:not(.branch) { display: inline-block; margin-right: 1rem; }
    .list > li:not(.branch) > .name { display: none; }
    .name { color: var(--quiet); }
    summary .name { color: var(--text); }
    summary { cursor: pointer; padding: .1rem 0; }
    .count, .literal { color: var(--quiet); }
    .count { font-size: .85rem; white-space: nowrap; }
    td summary { white-space: nowrap; }
    .literal { font-style: italic; }
    .number { font-variant-numeric: tabular-nums; }
    span { white-space: pre-wrap; }
    .more { margin: .5rem 0; font: inherit; }

    .frame { overflow-x: auto; margin: .25rem 0 .5rem; }
    table { border-collapse: collapse; }
    th, td { padding: .3rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: baseline; }
    th { color: var(--quiet); font-weight: 600; font-size: .85rem; white-space: nowrap; background: var(--head); }
    td { max-width: 32rem; overflow-wrap: break-word; }
    th.number, td.number { text-align: right; }
    td.number { white-space: nowrap; }
    @media (max-width: 40rem) {
      .wide > thead { display: none; }
      .wide, .wide > tbody { display: block; }
      .wide > tbody > tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
      .wide > tbody > tr > td {
        display: grid; grid-template-columns: min(8rem, 36%) minmax(0, 1fr); gap: 0 .75rem;
        max-width: none; padding: .1rem 0; border: 0; text-align: left; overflow-wrap: anywhere;
      }
      .wide > tbody > tr > td.none { display: none; }
      .wide > tbody > tr > td::before { content: attr(data-name); color: var(--quiet); }
    }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 70vh; overflow-y: auto; }
    """
}
