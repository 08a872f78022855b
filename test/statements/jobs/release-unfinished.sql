UPDATE jobs
SET due_at = iif(
  strftime('%H:%M', (SELECT datetime(now, ?) FROM clock)) <= ?,
  (SELECT datetime(now, ?) FROM clock),
  datetime(
    (unixepoch((SELECT now FROM clock)) - unixepoch(?)) / 86400 * 86400 + 86400 + unixepoch(?),
    'unixepoch'
  )
),
  lease_until = ?
WHERE (jobs.name = ? AND jobs.lease_until = ?)

--  SEARCH jobs USING PRIMARY KEY (name=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
