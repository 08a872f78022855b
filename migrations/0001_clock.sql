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

-- The totals beyond the largest one, ±70,000,000,000,000. Up to there every hundredth is an exact JSON number, and no
-- request's amounts add up to more than a 64-bit integer, beyond which SQLite would go on in floats. So a row undoes the
-- request. Only a restore may have some on its way, because its amounts come in the order of their ids, not in that in
-- which they were booked.
CREATE TABLE excesses (
  record TEXT NOT NULL, -- the kind of the events that add to the total
  field TEXT NOT NULL, -- by this field
  whose TEXT NOT NULL, -- JSON: the fields that these events have in common, by which the feed finds the lines
  total INTEGER NOT NULL,
  largest INTEGER NOT NULL, -- how large it may be, on either side of zero
  PRIMARY KEY (record, field, whose)
) WITHOUT ROWID;

-- Takes the total's row out where it is within its limit again, and undoes a request that is no restore. No sum of a
-- restore may leave the integers either.
CREATE TRIGGER excesses_undo_the_request BEFORE INSERT ON excesses
BEGIN
  DELETE FROM excesses WHERE record = NEW.record AND field = NEW.field AND whose = NEW.whose;
  SELECT RAISE(IGNORE) WHERE NEW.total BETWEEN -NEW.largest AND NEW.largest;
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', NEW.record, 'field', NEW.field, 'total', NEW.total, 'of', json(NEW.whose)
  ))))
  FROM feed_version
  WHERE restorable = 0 OR NEW.total NOT BETWEEN -4000000000000000000 AND 4000000000000000000;
END;

-- Always empty. A feed request of many events puts those here that are not stored yet, with the keys of what they name,
-- and takes them out again: its checks and totals read them, so that each id is looked up once and not by every one.
CREATE TABLE fresh_events (
  record TEXT NOT NULL, -- their kind
  lines TEXT NOT NULL -- JSON: an array for each event
);
