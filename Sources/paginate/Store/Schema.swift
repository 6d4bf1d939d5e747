import FeedCore

/// The tables of a store, and views for people who read it with sqlite3(1). An invalid row is refused when it is written,
/// whoever writes it, and again when it is read (Columns.swift): a foreign file may have been made without the checks.
enum Schema {
  /// "FUpg": a file with another number belongs to another program.
  static let application = 0x4655_7067
  /// Increased by each change that an older tool would not understand.
  static let version = 1

  /// The statements that make the tables and their indexes; SQLite stores each text exactly as written here.
  static let parts = [
    """
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
      writing_to INTEGER,
      CHECK (number > 0),
      CHECK (page_size >= 0),
      CHECK (total >= 0),
      CHECK (retry_at >= 0),
      CHECK (retry_said_at >= 0),
      CHECK ((retry_at IS NULL) = (retry_said_at IS NULL)),
      CHECK (writing_from \(places)),
      CHECK (writing_to \(places)),
      CHECK ((writing_from IS NULL) = (writing_to IS NULL)),
      CHECK (writing_from <= writing_to)
    ) STRICT
    """,
    // A range of pages that are known to follow each other, top down.
    """
    CREATE TABLE run (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      number INTEGER NOT NULL,
      top INTEGER NOT NULL,           -- the positions of its items are from top to bottom
      bottom INTEGER NOT NULL,
      lower_end TEXT NOT NULL CHECK (lower_end IN ('end', 'unread', 'wanted', 'open', 'lost')),
      PRIMARY KEY (feed, number),
      CHECK (number BETWEEN 1 AND \(StoreLimit.numbers.upperBound)),
      CHECK (top \(places)),
      CHECK (bottom \(places)),
      CHECK (top <= bottom)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE page (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      top INTEGER NOT NULL,           -- the position of its first item
      next TEXT,                      -- the request for the page that followed
      PRIMARY KEY (feed, top),
      CHECK (top \(places))
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE item (
      number INTEGER PRIMARY KEY,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      id TEXT NOT NULL,
      position INTEGER NOT NULL,      -- the smaller, the nearer to the top of the feed
      order_key TEXT,
      version TEXT NOT NULL,
      data TEXT NOT NULL,             -- JSON
      seen_at INTEGER NOT NULL,       -- seconds since 1970, as all times here
      changed_at INTEGER,
      gone_at INTEGER,
      UNIQUE (feed, id),
      CHECK (number > 0),
      CHECK (position \(places))
    ) STRICT
    """,
    "CREATE INDEX item_live ON item (feed, position) WHERE gone_at IS NULL",
    // The items in the order in which they were released for printing (ReleaseLog.swift).
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
    // The items that are not known to be printed (UnprintedItems.swift).
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
    // The values of `--since`.
    """
    CREATE TABLE mark (
      feed INTEGER PRIMARY KEY REFERENCES feed ON DELETE CASCADE,
      source TEXT NOT NULL,           -- where the values come from
      kind TEXT NOT NULL CHECK (kind IN ('number', 'time', 'local', 'text')),
      greatest TEXT NOT NULL,         -- of all items that were read, or the last
      covered TEXT                    -- the greatest when nothing was missing
    ) STRICT
    """,
  ]

  private static let places =
    "BETWEEN \(StoreLimit.positions.lowerBound) AND \(StoreLimit.positions.upperBound)"

  /// For people: none of our statements uses them.
  static let views = [
    // All that is known, in the order of the feed: stretches with gaps between them, from the top down.
    """
    CREATE VIEW IF NOT EXISTS known AS
      SELECT feed.name AS feed,
        (SELECT count(*) FROM run WHERE run.feed = item.feed AND top <= position) AS stretch,
        (SELECT lower_end FROM run WHERE run.feed = item.feed AND top <= position ORDER BY top DESC LIMIT 1) AS below,
        item.position, item.id, item.data,
        coalesce((
          SELECT CASE is_uncertain WHEN 0 THEN 'waiting' ELSE 'uncertain' END FROM unprinted
          WHERE feed = item.feed AND item.number BETWEEN unprinted.item AND unprinted.item + count - 1
        ), 'printed') AS printed,
        item.order_key, datetime(item.seen_at, 'unixepoch') AS seen_at,
        datetime(item.changed_at, 'unixepoch') AS changed_at
      FROM feed JOIN item ON item.feed = feed.number
      WHERE item.gone_at IS NULL
      ORDER BY item.feed, item.position
    """,
    // The same, from the top to the first gap.
    """
    CREATE VIEW IF NOT EXISTS items AS
      SELECT feed, id, data, printed, order_key, seen_at, changed_at FROM known WHERE stretch = 1
    """,
    // The places where items are missing: below which item, and above which.
    """
    CREATE VIEW IF NOT EXISTS gaps AS
      SELECT feed.name AS feed, run.lower_end AS state,
        (SELECT id FROM item WHERE item.feed = run.feed AND gone_at IS NULL
          AND position BETWEEN run.top AND run.bottom ORDER BY position DESC LIMIT 1) AS above,
        (SELECT id FROM item WHERE item.feed = run.feed AND gone_at IS NULL
          AND position > run.bottom ORDER BY position LIMIT 1) AS below
      FROM run JOIN feed ON feed.number = run.feed
      WHERE run.lower_end IN ('open', 'lost')
      ORDER BY run.feed, run.top
    """,
  ]

  // MARK: Checking a store

  /// The first difference of a file from our schema; nil if there is none. Additional views, tables and indexes are
  /// harmless; a trigger could do anything at any of our statements.
  static func problem(in database: Database) throws(StoreError) -> String? {
    let triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    if let trigger = try triggers.first(read: { $0.text(0) }) { return "it has a trigger, '\(shortened(trigger))'" }
    let statements = Set(try database.prepare("SELECT sql FROM sqlite_schema").all { $0.text(0) })
    guard let part = parts.first(where: { !statements.contains(Array($0.utf8)) }) else { return nil }
    let words = part.split(separator: " ")
    return "\(words[1].lowercased()) '\(words[2])' was changed"
  }
}
