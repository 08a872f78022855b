SELECT jobs.name AS name
FROM jobs
WHERE (jobs.name IN (?, ?, ?, ?, ?, ?) AND jobs.due_at < (SELECT datetime(now, ?) FROM clock))

--  SEARCH jobs USING PRIMARY KEY (name=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
