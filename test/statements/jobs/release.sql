UPDATE jobs
SET due_at = datetime(
  (unixepoch((SELECT now FROM clock)) - unixepoch(?)) / 600 * 600 + 600 + unixepoch(?), 'unixepoch'
),
  lease_until = ?
WHERE (jobs.name = ? AND jobs.lease_until = ?)

--  SEARCH jobs USING PRIMARY KEY (name=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
