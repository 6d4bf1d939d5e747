-- The records as they came, in their order of arrival (rowid). The columns are what queries often need.
CREATE TABLE IF NOT EXISTS record (
  line TEXT NOT NULL,
  id TEXT AS (line ->> 'id') STORED,
  event TEXT AS (line ->> 'event'),
  data TEXT AS (line -> 'data'),
  CONSTRAINT "an event record (deliver without --raw)" CHECK (event IS NOT NULL),
  -- Which records are the same. If each record has its own id, `UNIQUE (id)` is enough, and smaller. It is needed if the data
  -- differs when a record comes again, as that of etcd does (its header). Records without an id are never the same.
  UNIQUE (id, event, data)
);
