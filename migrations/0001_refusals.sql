-- A feed request is one transaction. A check that finds bad lines inserts its report here, and the trigger undoes the
-- whole request, handing the report back as the error's text. The table is always empty.
CREATE TABLE refusals (report TEXT NOT NULL);

CREATE TRIGGER refusals_undo_the_request BEFORE INSERT ON refusals
BEGIN
  SELECT RAISE(ABORT, NEW.report);
END;

-- The one place that says what now is (UTC). Tests put another view in its place.
CREATE VIEW clock AS SELECT datetime('now') AS now, date('now') AS today;
