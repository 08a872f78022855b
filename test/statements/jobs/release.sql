UPDATE jobs
SET due_at = datetime(
  (unixepoch((SELECT now FROM clock)) - unixepoch(?1)) / 600 * 600 + 600 + unixepoch(?1),
  'unixepoch'
),
  lease_until = ?2
WHERE (jobs.name = ?3 AND jobs.lease_until = ?4)

--  SEARCH jobs USING PRIMARY KEY (name=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
