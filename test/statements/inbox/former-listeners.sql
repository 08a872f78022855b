DELETE
FROM listeners
WHERE listeners.customer_id IN (
  SELECT listeners.customer_id AS customer_id
  FROM listeners
  WHERE listeners.until < (SELECT now FROM clock)
  LIMIT 0 + ?1
)
RETURNING listeners.customer_id AS customer_id

--  SEARCH listeners USING PRIMARY KEY (customer_id=?)
--  LIST SUBQUERY
--    SCAN listeners
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
