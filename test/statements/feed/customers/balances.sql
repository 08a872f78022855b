SELECT holdings.customer_key AS customer_key,
  visible_accounts.id AS account_id,
  visible_accounts.company AS company,
  total(holdings.balance) / 100 AS balance,
  sum(holdings.stores) AS stores_count
FROM holdings
CROSS JOIN visible_accounts ON visible_accounts.key = holdings.account_key
WHERE holdings.customer_key IN (
  SELECT key
  FROM (
    (
      SELECT visible_customers.key AS key,
        visible_customers.id AS id,
        visible_customers.first_name AS first_name,
        visible_customers.last_name AS last_name
      FROM visible_customers
      WHERE (visible_customers.scan_id = ? AND visible_customers.scan_id <> '')
      ORDER BY visible_customers.id
      LIMIT 0 + ?
    )
  )
)
GROUP BY holdings.customer_key, visible_accounts.key
ORDER BY holdings.customer_key, visible_accounts.company, visible_accounts.id
LIMIT 0 + ?

--  CO-ROUTINE holdings
--    COMPOUND QUERY
--      LEFT-MOST SUBQUERY
--        SEARCH store_balances USING PRIMARY KEY (customer_key=?)
--        LIST SUBQUERY
--          SEARCH customers USING INDEX customers_by_scan_id (scan_id=?)
--          USE TEMP B-TREE FOR ORDER BY
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      UNION ALL
--        SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        REUSE LIST SUBQUERY
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  SCAN holdings
--  REUSE LIST SUBQUERY
--  SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--  USE TEMP B-TREE FOR GROUP BY
--  USE TEMP B-TREE FOR ORDER BY
