-- Objects in R2 that hold events which have left the database (docs/contract/history.md). One transaction writes the row
-- and takes the events out, so each event is in the database or in one segment.
CREATE TABLE history_segments (
  kind TEXT NOT NULL, -- balance_entry, token_earning, play or message
  month TEXT NOT NULL, -- YYYY-MM: its events are from before this month
  number INTEGER NOT NULL, -- from 1, among those of its kind and month
  name TEXT NOT NULL, -- of the object
  lines INTEGER NOT NULL,
  bytes INTEGER NOT NULL, -- of the object, which is gzipped
  sha256 TEXT NOT NULL, -- of the object, in hexadecimal
  oldest TEXT NOT NULL, -- the time of its oldest event
  newest TEXT NOT NULL, -- the time of its newest event
  sums TEXT NOT NULL, -- JSON: what its events add up to, by the columns that totals add
  PRIMARY KEY (kind, month, number)
) WITHOUT ROWID;

-- How far each kind's events have been scanned for old ones, once a month, in the order of their ids: an index by time
-- would be one row more to write for each event.
CREATE TABLE history_scans (
  kind TEXT PRIMARY KEY,
  month TEXT NOT NULL, -- YYYY-MM: events from before this month are looked for
  last_id TEXT NOT NULL, -- the last event that was looked at; empty at the beginning
  is_over INTEGER NOT NULL, -- 1: all were looked at
  moved_at TEXT NOT NULL -- when the scan last moved, or else began
) WITHOUT ROWID;
