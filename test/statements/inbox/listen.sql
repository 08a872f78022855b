INSERT INTO listeners (customer_id, until)
VALUES (?, (SELECT datetime(now, ?) FROM clock))
ON CONFLICT (listeners.customer_id) DO UPDATE
SET until = (SELECT datetime(now, ?) FROM clock)
WHERE listeners.until < (SELECT datetime(now, ?) FROM clock)

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
