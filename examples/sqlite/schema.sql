-- The records as they came, in the order in which they came (rowid). What is asked for often is made of them here.
CREATE TABLE IF NOT EXISTS record (
  line TEXT NOT NULL,
  id TEXT AS (line ->> 'id') STORED,
  event TEXT AS (line ->> 'event'),
  data TEXT AS (line -> 'data'),
  CONSTRAINT "an event record (deliver without --raw)" CHECK (event IS NOT NULL),
  -- The same record. Where each brings an id of its own, `UNIQUE (id)` is enough, and smaller. Records without an id are
  -- never the same.
  UNIQUE (id, event, data)
);
