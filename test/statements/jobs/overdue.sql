SELECT jobs.name AS name
FROM jobs
WHERE (
  jobs.name IN (?1, ?2, ?3, ?4, ?5, ?6, ?7) AND jobs.due_at < (SELECT datetime(now, ?8) FROM clock)
)

--  SEARCH jobs USING PRIMARY KEY (name=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
