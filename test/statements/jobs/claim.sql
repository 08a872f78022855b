UPDATE jobs
SET lease_until = (SELECT datetime(now, ?1) FROM clock)
WHERE jobs.name = (
  SELECT jobs.name AS name
  FROM jobs
  WHERE (
    jobs.name IN (?2, ?3, ?4, ?5, ?6, ?7, ?8) AND jobs.due_at <= (SELECT now FROM clock)
    AND jobs.lease_until <= (SELECT now FROM clock)
  )
  ORDER BY jobs.due_at
  LIMIT 0 + ?9
)
RETURNING jobs.name AS name, jobs.lease_until AS `leaseUntil`

--  SEARCH jobs USING PRIMARY KEY (name=?)
--  SCALAR SUBQUERY
--    SEARCH jobs USING PRIMARY KEY (name=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    USE TEMP B-TREE FOR ORDER BY
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
