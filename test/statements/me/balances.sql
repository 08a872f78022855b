SELECT visible_accounts.id AS account_id,
  visible_accounts.company AS company,
  total(holding.balance) / 100 AS balance,
  sum(holding.stores) AS stores_count
FROM (
  SELECT holder.key AS customer_key,
    stores.account_key AS account_key,
    store_balances.balance AS balance,
    0 AS stores
  FROM (SELECT (SELECT customers.key FROM customers WHERE customers.id = ?) AS key) AS holder
  CROSS JOIN store_balances ON store_balances.customer_key = holder.key
  CROSS JOIN stores ON stores.key = store_balances.store_key
  UNION ALL
  SELECT holder.key, joined_stores.account_key, 0, 1
  FROM (SELECT (SELECT customers.key FROM customers WHERE customers.id = ?) AS key) AS holder
  CROSS JOIN joined_stores ON joined_stores.customer_key = holder.key
) AS holding
CROSS JOIN visible_accounts ON visible_accounts.key = holding.account_key
WHERE (visible_accounts.company, visible_accounts.id) > (?, ?)
GROUP BY visible_accounts.key
ORDER BY visible_accounts.company, visible_accounts.id
LIMIT 0 + 1 + ?

--  CO-ROUTINE holding
--    COMPOUND QUERY
--      LEFT-MOST SUBQUERY
--        CO-ROUTINE holder
--          SCAN CONSTANT ROW
--          SCALAR SUBQUERY
--            SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--        SCAN holder
--        SEARCH store_balances USING PRIMARY KEY (customer_key=?)
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      UNION ALL
--        CO-ROUTINE holder
--          SCAN CONSTANT ROW
--          SCALAR SUBQUERY
--            SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--        SCAN holder
--        SEARCH memberships USING COVERING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  SCAN holding
--  SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--  USE TEMP B-TREE FOR GROUP BY
--  USE TEMP B-TREE FOR ORDER BY
