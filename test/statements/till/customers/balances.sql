SELECT holdings.customer_key AS customer_key,
  visible_accounts.id AS account_id,
  visible_accounts.company AS company,
  coalesce(holdings.balance, 0) / 100.0 AS balance,
  holdings.stores_joined AS stores_count
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
      WHERE (visible_customers.scan_id = ?1 AND visible_customers.scan_id <> '')
      ORDER BY visible_customers.id
      LIMIT 0 + ?2
    )
  )
)
  AND (
    ?3 IS NULL
    OR EXISTS (
      SELECT 1
      FROM accounts
      WHERE accounts.key = holdings.account_key AND accounts.id IN (SELECT value FROM json_each(?3))
    )
  )
  AND (holdings.balance IS NOT NULL OR holdings.stores_joined > 0)
ORDER BY holdings.customer_key, visible_accounts.company, visible_accounts.id
LIMIT 0 + ?4

--  SEARCH customer_accounts USING PRIMARY KEY (customer_key=?)
--  LIST SUBQUERY
--    SEARCH customers USING INDEX customers_by_scan_id (scan_id=?)
--    USE TEMP B-TREE FOR ORDER BY
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--    SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--  SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--    SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--  USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY
