INSERT INTO customer_requests (customer_key, type, requested_at)
SELECT (SELECT customers.key FROM customers WHERE customers.id = ? AND customers.erased = 0),
  ?,
  (SELECT now FROM clock)
FROM program_state
WHERE program_state.act = ?

--  SCAN program_state
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
