SELECT (
  SELECT customers.key
  FROM customers
  WHERE customers.id = ?1 AND customers.erased = 0
) IS NOT NULL AS `hasCaller`,
  (
    SELECT customers.key
    FROM customers
    WHERE customers.id = ?2 AND customers.erased = 0
  ) IS NOT NULL AS `hasOther`

--  SCAN CONSTANT ROW
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
