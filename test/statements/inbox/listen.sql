INSERT INTO listeners (customer_id, until)
VALUES (?1, (SELECT datetime(now, ?2) FROM clock))
ON CONFLICT (listeners.customer_id) DO UPDATE
SET until = (SELECT datetime(now, ?2) FROM clock)
WHERE listeners.until < (SELECT datetime(now, ?3) FROM clock)

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
