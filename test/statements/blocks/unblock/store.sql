DELETE
FROM blocks
WHERE blocks.customer_key = (
  SELECT customers.key
  FROM customers
  WHERE customers.id = ?1 AND customers.erased = 0
)
  AND blocks.blocked_key = (
    SELECT customers.key
    FROM customers
    WHERE customers.id = ?2 AND customers.erased = 0
  )
  AND EXISTS (SELECT 1 FROM program_state WHERE program_state.act = ?3)

--  SEARCH blocks USING PRIMARY KEY (customer_key=? AND blocked_key=?)
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    SCAN program_state
