SELECT visible_accounts.id AS account_id,
  visible_accounts.company AS company,
  coalesce(holdings.balance, 0) / 100.0 AS balance,
  holdings.stores_joined AS stores_count
FROM holdings
CROSS JOIN visible_accounts ON visible_accounts.key = holdings.account_key
WHERE holdings.customer_key = (
  SELECT visible_customers.key AS key
  FROM visible_customers
  WHERE visible_customers.id = ?1
)
  AND (visible_accounts.company, visible_accounts.id) > (?2, ?3)
  AND (holdings.balance IS NOT NULL OR holdings.stores_joined > 0)
ORDER BY holdings.customer_key, visible_accounts.company, visible_accounts.id
LIMIT 0 + 1 + ?4

--  SEARCH customer_accounts USING PRIMARY KEY (customer_key=?)
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
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
