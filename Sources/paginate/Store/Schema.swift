// The tables of a store, and views for people who read it with sqlite3(1).
//
// Format 2 has the same tables as format 1, with CHECKs: an invalid row is refused when it is written, whoever writes
// it. Tables of format 1 stay as they are, because all values are checked when read (Columns.swift). Format 3 adds the
// table of releases; the numbers of items in an older store follow when the feed is next used. Format 4 has a table for
// the items that are not printed, in place of a column of each item, and a table for the values of `--since`.

import FeedCore

enum Schema {
  /// "FUpg": a file with another number belongs to another program.
  static let application = 0x4655_7067
  /// Increased by each change that an older tool would not understand.
  static let version = 4
  static let oldestVersion = 1

  /// The statements that make the tables and their indexes; SQLite stores each text exactly as written here.
  static func parts(version: Int) -> [String] { parts(version, checked: version >= 2) }

  private static func parts(_ version: Int, checked: Bool) -> [String] {
    tables(version, checked: checked) + (version >= 3 ? releases : []) + (version >= 4 ? unprinted + marks : [])
  }

  /// What format 4 adds besides: the values of `--since`.
  static let marks = [
    """
    CREATE TABLE mark (
      feed INTEGER PRIMARY KEY REFERENCES feed ON DELETE CASCADE,
      pointer TEXT NOT NULL,          -- where the values are in an item
      kind TEXT NOT NULL CHECK (kind IN ('number', 'time', 'text')),
      greatest TEXT NOT NULL,         -- of all items that were read
      covered TEXT                    -- the greatest when nothing was missing
    ) STRICT
    """
  ]

  /// What format 3 adds: the items in the order in which they were released for printing (ReleaseLog.swift).
  static let releases = [
    """
    CREATE TABLE release (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      seq INTEGER NOT NULL,           -- of the first of its items
      item INTEGER NOT NULL,          -- the number of that
      count INTEGER NOT NULL,         -- how many, whose numbers follow
      is_again INTEGER NOT NULL,      -- 1: an edited item, under --changed
      PRIMARY KEY (feed, seq),
      CHECK (seq > 0),
      CHECK (item > 0),
      CHECK (count > 0),
      CHECK (is_again IN (0, 1))
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX release_first ON release (feed, item) WHERE is_again = 0",
    "CREATE INDEX release_again ON release (feed, item) WHERE is_again = 1",
  ]

  /// What format 4 adds: the items that are not known to be printed (UnprintedItems.swift).
  static let unprinted = [
    """
    CREATE TABLE unprinted (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      item INTEGER NOT NULL,          -- the number of the first of its items
      position INTEGER NOT NULL,      -- of that
      count INTEGER NOT NULL,         -- how many, whose numbers and positions follow
      is_uncertain INTEGER NOT NULL,  -- 0: they wait, 1: they may have been printed
      PRIMARY KEY (feed, item),
      CHECK (item > 0),
      CHECK (position \(places)),
      CHECK (count > 0),
      CHECK (is_uncertain IN (0, 1))
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX unprinted_place ON unprinted (feed, is_uncertain, position)",
  ]

  private static let places =
    "BETWEEN \(StoreLimit.positions.lowerBound) AND \(StoreLimit.positions.upperBound)"

  static func tables(_ version: Int, checked: Bool) -> [String] {
    func checks(_ conditions: String...) -> String {
      checked ? conditions.map { ",\n  CHECK (\($0))" }.joined() : ""
    }
    let feed = """
      CREATE TABLE feed (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        url TEXT NOT NULL,
        options TEXT NOT NULL,          -- of the walk, as JSON, without secrets
        etag TEXT,                      -- of page 1
        page_size INTEGER,              -- how many items page 1 had
        total INTEGER,                  -- how many items the feed had then
        retry_at INTEGER,               -- seconds since 1970: no request before
        retry_said_at INTEGER,          -- when the server said that
        writing_from INTEGER,           -- the positions of what is being printed
        writing_to INTEGER\(checks(
          "number > 0", "page_size >= 0", "total >= 0", "retry_at >= 0", "retry_said_at >= 0",
          "(retry_at IS NULL) = (retry_said_at IS NULL)", "writing_from \(places)", "writing_to \(places)",
          "(writing_from IS NULL) = (writing_to IS NULL)", "writing_from <= writing_to"))
      ) STRICT
      """
    // A range of pages that are known to follow each other, top down.
    let run = """
      CREATE TABLE run (
        feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
        number INTEGER NOT NULL,
        top INTEGER NOT NULL,           -- the positions of its items are from top to bottom
        bottom INTEGER NOT NULL,
        lower_end TEXT NOT NULL CHECK (lower_end IN ('end', 'unread', 'wanted', 'open', 'lost', 'dropped')),
        is_placed INTEGER NOT NULL,     -- 0: below a gap under --on-gap drop
        PRIMARY KEY (feed, number)\(checks(
          "number BETWEEN 1 AND \(StoreLimit.numbers.upperBound)", "top \(places)", "bottom \(places)",
          "top <= bottom", "is_placed IN (0, 1)"))
      ) STRICT, WITHOUT ROWID
      """
    let page = """
      CREATE TABLE page (
        feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
        top INTEGER NOT NULL,           -- the position of its first item
        next TEXT,                      -- the request for the page that followed
        PRIMARY KEY (feed, top)\(checks("top \(places)"))
      ) STRICT, WITHOUT ROWID
      """
    // SQLite makes a table for each check whether a value is one of three, which takes as long as adding the item.
    let printed = "\n  printed INTEGER NOT NULL,       -- 0: waits, 1: printed, 2: uncertain"
    let item = """
      CREATE TABLE item (
        number INTEGER PRIMARY KEY,
        feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
        id TEXT NOT NULL,
        position INTEGER NOT NULL,      -- the smaller, the nearer to the top of the feed\(version < 4 ? printed : "")
        order_key TEXT,
        version TEXT NOT NULL,
        data TEXT NOT NULL,             -- JSON
        seen_at INTEGER NOT NULL,       -- seconds since 1970, as all times here
        changed_at INTEGER,
        gone_at INTEGER,
        UNIQUE (feed, id)\(checks("number > 0", "position \(places)"))\(
          version < 4 ? checks("printed IN (0, 1, 2)") : "")
      ) STRICT
      """
    let live = "CREATE INDEX item_live ON item (feed, position) WHERE gone_at IS NULL"
    let ofPrinted = [
      "CREATE INDEX item_waiting ON item (feed, position) WHERE printed = 0",
      "CREATE INDEX item_uncertain ON item (feed, position) WHERE printed = 2",
    ]
    return [feed, run, page, item, live] + (version < 4 ? ofPrinted : [])
  }

  /// For people: none of our statements uses them.
  static let views = [
    // The known feed from its top to the first gap, in order.
    """
    CREATE VIEW items AS
      WITH head AS (SELECT feed, MIN(top) AS top, bottom FROM run WHERE is_placed GROUP BY feed)
      SELECT feed.name AS feed, item.id, item.data,
        coalesce((
          SELECT CASE is_uncertain WHEN 0 THEN 'waiting' ELSE 'uncertain' END FROM unprinted
          WHERE feed = item.feed AND item.number BETWEEN unprinted.item AND unprinted.item + count - 1
        ), 'printed') AS printed,
        item.order_key, datetime(item.seen_at, 'unixepoch') AS seen_at,
        datetime(item.changed_at, 'unixepoch') AS changed_at
      FROM head
      JOIN feed ON feed.number = head.feed
      JOIN item ON item.feed = head.feed AND item.position BETWEEN head.top AND head.bottom
      WHERE item.gone_at IS NULL
      ORDER BY item.feed, item.position
    """,
    // The places where items are missing: below which item, and above which.
    """
    CREATE VIEW gaps AS
      SELECT feed.name AS feed, run.lower_end AS state,
        (SELECT id FROM item WHERE item.feed = run.feed AND gone_at IS NULL
          AND position BETWEEN run.top AND run.bottom ORDER BY position DESC LIMIT 1) AS above,
        (SELECT id FROM item WHERE item.feed = run.feed AND gone_at IS NULL
          AND position > run.bottom ORDER BY position LIMIT 1) AS below
      FROM run JOIN feed ON feed.number = run.feed
      WHERE run.is_placed AND run.lower_end IN ('open', 'lost', 'dropped')
      ORDER BY run.feed, run.top
    """,
  ]

  // MARK: Checking a store

  /// A part of a file's schema.
  struct Part {
    /// `table`, `index`, `view` or `trigger`.
    let kind: [UInt8]
    let name: [UInt8]
    let statement: [UInt8]
  }

  /// The first difference from our schema; nil if there is none. Additional views, tables and indexes are harmless; a
  /// trigger could do anything at any of our statements.
  static func problem(with found: [Part], version: Int) -> String? {
    if let trigger = found.first(where: { $0.kind.elementsEqual("trigger".utf8) }) {
      return "it has a trigger, '\(shortened(trigger.name))'"
    }
    let statements = Set(found.map(\.statement))
    // A store that was made in format 1 keeps those tables later.
    let alternatives = [parts(version: version)] + (version < 3 ? [] : [parts(version, checked: false)])
    for (index, part) in alternatives[0].enumerated()
    where !alternatives.contains(where: { statements.contains(Array($0[index].utf8)) }) {
      let words = part.split(separator: " ")
      return "\(words[1].lowercased()) '\(words[2])' was changed"
    }
    return nil
  }
}
