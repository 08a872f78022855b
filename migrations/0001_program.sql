-- The one definition of the current time, in UTC, by D1's clock. Tests replace it by another view.
CREATE VIEW clock AS
SELECT datetime('now') AS now, date('now') AS today, CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER) % 1000 AS millisecond;

-- Always empty. A feed request is one transaction. A check that finds bad lines inserts its report here, and the trigger
-- aborts the transaction with the report as the error's text.
CREATE TABLE refusals (
  report TEXT NOT NULL -- JSON: the bad lines, and what is wrong with them
);

CREATE TRIGGER refusals_undo_the_request BEFORE INSERT ON refusals
BEGIN
  SELECT RAISE(ABORT, NEW.report);
END;

-- Always empty. A feed request of many events puts the new ones here, with the keys of what they name, and takes them out
-- again. Its checks and totals read them here, so that each id is looked up once and not for every check and total.
CREATE TABLE fresh_events (
  record TEXT NOT NULL, -- their kind
  lines TEXT NOT NULL -- JSON: an array for each event
);

-- How far the program has come, in its only row. A second that a poll has shown must get no more messages. So all messages
-- of a request share one stamp, which is taken here, in the transaction that stores them. The stamp stays while the clock
-- stands in its second. The next one is greater, even if the clock was set back. So every copy of the database has all
-- messages from before its stamp, and shows these and no others.
CREATE TABLE program_state (
  id INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 0, -- how many feed requests have been committed
  restorable INTEGER NOT NULL DEFAULT 1, -- 1: restores are taken, because nothing but restores was committed
  stamp TEXT NOT NULL, -- the last stamp taken
  clock_said TEXT NOT NULL, -- what D1's clock said then
  is_open INTEGER NOT NULL, -- 1: messages may have this stamp, so the next one has to be taken to show them
  PRIMARY KEY (id),
  CONSTRAINT program_state_has_one_row CHECK (id = 1)
) WITHOUT ROWID;

INSERT INTO program_state (id, stamp, clock_said, is_open) VALUES (1, '0000-01-01 00:00:00', '0000-01-01 00:00:00', 0)
ON CONFLICT DO NOTHING;
