SELECT coalesce(
  (
    SELECT max(CAST(balance_entries.description AS INTEGER))
    FROM balance_entries
    WHERE balance_entries.id >= printf('sealed:%08x', visible_customers.key)
      AND balance_entries.id < printf('sealed:%08x', visible_customers.key + 1)
  ),
  0
) AS step
FROM visible_customers
WHERE visible_customers.id = ?1

--  SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH balance_entries USING PRIMARY KEY (id>? AND id<?)
