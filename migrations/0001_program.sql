-- The one definition of the current time, in UTC, by D1's clock. Tests replace it by another view.
CREATE VIEW clock AS
SELECT datetime('now') AS now, CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER) % 1000 AS millisecond;

-- Always empty. A feed request is one transaction. A check that finds bad lines inserts its report here, and the
-- trigger aborts the transaction with the report as the error's text.
CREATE TABLE refusals (
  report TEXT NOT NULL -- JSON: the bad lines, and what is wrong with them
);

CREATE TRIGGER refusals_undo_the_request BEFORE INSERT ON refusals
BEGIN
  SELECT RAISE(ABORT, NEW.report);
END;

-- Always empty. A feed request with many events writes the new events here, with the keys of the records that they
-- name, and deletes them again. So it looks up each id once, and not again for each check and each total.
CREATE TABLE fresh_events (
  record TEXT NOT NULL, -- the kind of the events
  lines TEXT NOT NULL -- JSON: an array for each event
);

-- The state of the program, in one row. A stamp is a time by D1's clock. All messages of a request share one stamp,
-- which is taken in the transaction that stores them, because a second that a poll has shown must get no more messages.
-- The stamp stays while the clock is in the same second. The next stamp is greater, even if the clock was set back. So
-- every copy of the database has all messages from before its stamp.
CREATE TABLE program_state (
  id INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 0, -- how many transactions have changed what an export gives, and feed requests
  changes_removed INTEGER NOT NULL DEFAULT 0, -- the lines of the journal up to this version are no longer kept
  act TEXT NOT NULL DEFAULT '', -- the last act of a till or a customer: it made the current version, unless a feed came later
  database_id TEXT NOT NULL DEFAULT '', -- tells this database from all others
  restorable INTEGER NOT NULL DEFAULT 1, -- 1: restores are taken, because nothing but restores was committed
  stamp TEXT NOT NULL, -- the last stamp taken
  clock_said TEXT NOT NULL, -- the time by D1's clock when it was taken
  is_open INTEGER NOT NULL, -- 1: messages may have this stamp. They are shown once the next stamp is taken
  horizon TEXT NOT NULL, -- the feed refuses events from before this time, because they may be added up. It never moves back
  retention_steps INTEGER NOT NULL, -- how many steps have added up and deleted events (0015_retention.sql)
  PRIMARY KEY (id),
  CONSTRAINT program_state_has_one_row CHECK (id = 1)
) WITHOUT ROWID;

INSERT INTO program_state (id, database_id, stamp, clock_said, is_open, horizon, retention_steps)
VALUES (1, lower(hex(randomblob(16))), '0000-01-01 00:00:00', '0000-01-01 00:00:00', 0, '0000-01-01 00:00:00', 0)
ON CONFLICT DO NOTHING;

-- The journal: a row for each version, so that everybody can see who sent what, and when.
CREATE TABLE requests (
  version INTEGER PRIMARY KEY,
  at TEXT NOT NULL, -- by D1's clock
  source TEXT NOT NULL, -- feed, restore, till, customer or retention
  subject TEXT NOT NULL, -- the `sub` of the token; of a write of a customer, the customer's id; empty: a step of retention
  lines INTEGER NOT NULL, -- how many lines it had; of a step of retention, how many events it deleted
  line TEXT -- JSON: what a till or a customer wrote, as the line that the feed would take; NULL: none, or no longer kept
);
