-- Segments: objects in R2 with events that have left the database (docs/contract/history.md). One transaction writes
-- the row and deletes the events, so each event is in the database or in one segment.
CREATE TABLE history_segments (
  kind TEXT NOT NULL, -- balance_entry, token_earning, play or message
  month TEXT NOT NULL, -- YYYY-MM: the events are from before this month
  number INTEGER NOT NULL, -- from 1, among those of its kind and month
  name TEXT NOT NULL, -- the name of the object
  lines INTEGER NOT NULL,
  bytes INTEGER NOT NULL, -- the size of the gzipped object
  sha256 TEXT NOT NULL, -- the hash of the object, in hexadecimal
  oldest TEXT NOT NULL, -- the time of its oldest event
  newest TEXT NOT NULL, -- the time of its newest event
  sums TEXT NOT NULL, -- JSON: the sums of its events, by the columns of totals
  PRIMARY KEY (kind, month, number)
) WITHOUT ROWID;

-- How far the events of each kind have been scanned for old events this month. A scan has the order of the ids, because
-- an index by time would be one more row to write for each event.
CREATE TABLE history_scans (
  kind TEXT PRIMARY KEY,
  month TEXT NOT NULL, -- YYYY-MM: events from before this month are looked for
  last_id TEXT NOT NULL, -- the last event that was looked at; empty: none
  is_over INTEGER NOT NULL, -- 1: all events were looked at
  moved_at TEXT NOT NULL -- when the scan last moved or began
) WITHOUT ROWID;
