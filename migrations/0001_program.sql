-- The one definition of the current time, in UTC, by D1's clock. Tests replace it by another view.
CREATE VIEW clock AS
SELECT datetime('now') AS now, date('now') AS today, CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER) % 1000 AS millisecond;

-- Always empty. A feed request is one transaction: a check that finds bad lines inserts its report here, and the
-- trigger undoes the whole request. So nothing of a refused request is left, and every bad line is named all the same.
CREATE TABLE refusals (
  report TEXT NOT NULL -- JSON: the bad lines, and what is wrong with them
);

-- Undoes the request: the report is the text of the error.
CREATE TRIGGER refusals_undo_the_request BEFORE INSERT ON refusals
BEGIN
  SELECT RAISE(ABORT, NEW.report);
END;

-- Always empty. A feed request of many events puts those here that are not stored yet, with the keys of what they name,
-- and takes them out again: its checks and totals read them, so that each id is looked up once and not by every one.
CREATE TABLE fresh_events (
  record TEXT NOT NULL, -- their kind
  lines TEXT NOT NULL -- JSON: an array for each event
);

-- How far the program has come, in its only row. A poll must be able to trust that a second it has been shown gets no more
-- messages. So all messages of a request share one stamp, which is taken here, in the transaction that stores them. While
-- the clock stands in that second the stamp stays; once it has moved, the next stamp is greater, even when the clock was
-- set back. So every copy of the database has all messages of the seconds before its stamp, and shows these and no others.
CREATE TABLE program_state (
  id INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 0, -- how many feed requests have been committed: an export says of which state it is
  restorable INTEGER NOT NULL DEFAULT 1, -- 1: all of them were restores, if there were any, so that another one is taken
  stamp TEXT NOT NULL, -- the last one taken
  clock_said TEXT NOT NULL, -- what D1's clock said then
  is_open INTEGER NOT NULL, -- 1: messages may have this stamp, so a later one is to be taken, which shows them
  PRIMARY KEY (id),
  CONSTRAINT program_state_has_one_row CHECK (id = 1)
) WITHOUT ROWID;

INSERT INTO program_state (id, stamp, clock_said, is_open) VALUES (1, '0000-01-01 00:00:00', '0000-01-01 00:00:00', 0)
ON CONFLICT DO NOTHING;
