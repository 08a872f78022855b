UPDATE program_state
SET version = program_state.version + 1, act = ?1, restorable = 0
WHERE (
  SELECT customers.key
  FROM customers
  WHERE customers.id = ?2 AND customers.erased = 0
) IS NOT NULL
  AND NOT EXISTS (
    SELECT 1
    FROM customer_requests
    WHERE customer_requests.customer_key = (
      SELECT customers.key
      FROM customers
      WHERE customers.id = ?2 AND customers.erased = 0
    )
      AND customer_requests.type = ?3
  )

--  SCAN program_state
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    SEARCH customer_requests USING PRIMARY KEY (customer_key=? AND type=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
