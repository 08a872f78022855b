SELECT stores.key IS NULL OR (
  ?1 IS NULL
  OR EXISTS (
    SELECT 1
    FROM accounts
    WHERE accounts.key = stores.account_key AND accounts.id IN (SELECT value FROM json_each(?1))
  )
) AS is_covered,
  visible_stores.key IS NOT NULL AS has_store,
  visible_customers.key IS NOT NULL AS has_customer
FROM program_state
LEFT JOIN stores ON stores.id = ?2
LEFT JOIN visible_stores ON visible_stores.key = stores.key
LEFT JOIN visible_customers ON visible_customers.id = ?3

--  SCAN program_state
--  SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?) LEFT-JOIN
--  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
