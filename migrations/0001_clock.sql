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
