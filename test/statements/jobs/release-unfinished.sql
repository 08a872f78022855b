UPDATE jobs
SET due_at = iif(
  strftime('%H:%M', (SELECT datetime(now, ?1) FROM clock)) <= ?2,
  (SELECT datetime(now, ?1) FROM clock),
  datetime(
    (unixepoch((SELECT now FROM clock)) - unixepoch(?3)) / 86400 * 86400 + 86400 + unixepoch(?3),
    'unixepoch'
  )
),
  lease_until = ?4
WHERE (jobs.name = ?5 AND jobs.lease_until = ?6)

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
