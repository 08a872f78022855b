INSERT INTO customer_requests (customer_key, type, requested_at)
SELECT (SELECT customers.key FROM customers WHERE customers.id = ?1 AND customers.erased = 0),
  ?2,
  (SELECT now FROM clock)
FROM program_state
WHERE program_state.act = ?3

--  SCAN program_state
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
