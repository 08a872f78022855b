SELECT visible_accounts.id AS account_id,
  visible_accounts.company AS company,
  total(holdings.balance) / 100 AS balance,
  sum(holdings.stores) AS stores_count
FROM holdings
CROSS JOIN visible_accounts ON visible_accounts.key = holdings.account_key
WHERE holdings.customer_key = (
  SELECT visible_customers.key AS key
  FROM visible_customers
  WHERE visible_customers.id = ?
)
  AND (visible_accounts.company, visible_accounts.id) > (?, ?)
GROUP BY holdings.customer_key, visible_accounts.key
ORDER BY holdings.customer_key, visible_accounts.company, visible_accounts.id
LIMIT 0 + 1 + ?

--  CO-ROUTINE holdings
--    COMPOUND QUERY
--      LEFT-MOST SUBQUERY
--        SEARCH store_balances USING PRIMARY KEY (customer_key=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      UNION ALL
--        SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  SCAN holdings
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--  USE TEMP B-TREE FOR GROUP BY
--  USE TEMP B-TREE FOR ORDER BY
