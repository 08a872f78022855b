INSERT INTO blocks (customer_key, blocked_key)
SELECT (SELECT customers.key FROM customers WHERE customers.id = ?1 AND customers.erased = 0),
  (SELECT customers.key FROM customers WHERE customers.id = ?2 AND customers.erased = 0)
FROM program_state
WHERE program_state.act = ?3

--  SCAN program_state
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
