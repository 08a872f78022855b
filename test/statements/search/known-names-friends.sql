SELECT customers.key AS key, customers.words AS words
FROM (
  SELECT (SELECT customers.key FROM customers WHERE customers.id = ?1) AS key
  UNION ALL
  SELECT friendships.high_key
  FROM friendships
  WHERE friendships.low_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
    AND friendships.status = 1
  UNION ALL
  SELECT friendships.low_key
  FROM friendships
  WHERE friendships.high_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
    AND friendships.status = 1
) AS known
CROSS JOIN customers ON customers.key = known.key
WHERE true
  AND NOT EXISTS (
    SELECT 1
    FROM blocks
    WHERE blocks.customer_key = known.key
      AND blocks.blocked_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
  )

--  CO-ROUTINE known
--    COMPOUND QUERY
--      LEFT-MOST SUBQUERY
--        SCAN CONSTANT ROW
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      UNION ALL
--        SEARCH friendships USING PRIMARY KEY (low_key=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      UNION ALL
--        SEARCH friendships USING INDEX friendships_by_high_key (high_key=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCAN known
--  CORRELATED SCALAR SUBQUERY
--    SEARCH blocks USING PRIMARY KEY (customer_key=? AND blocked_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
