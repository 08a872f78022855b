SELECT visible_customers.key IS NOT NULL AS has_customer,
  coupon_checks.key IS NOT NULL AS has_coupon,
  (
    ?1 IS NULL
    OR EXISTS (
      SELECT 1
      FROM accounts
      WHERE accounts.key = coupon_checks.account_key
        AND accounts.id IN (SELECT value FROM json_each(?1))
    )
  ) AS is_covered,
  coupon_checks.coupon_not_deleted AS coupon_not_deleted,
  coupon_checks.account_not_deleted AS account_not_deleted,
  coupon_checks.coupon_end_not_passed AS coupon_end_not_passed,
  coupon_checks.ends_at AS coupon_ends_at,
  coalesce(holdings.joined_a_store, 0) AS joined_a_store
FROM program_state
LEFT JOIN visible_customers ON visible_customers.id = ?2
LEFT JOIN coupon_checks ON coupon_checks.id = ?3 AND coupon_checks.kind = 'digital'
LEFT JOIN holdings
  ON holdings.customer_key = visible_customers.key
  AND holdings.account_key = coupon_checks.account_key

--  SCAN program_state
--  SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?) LEFT-JOIN
--  SEARCH coupons USING INDEX sqlite_autoindex_coupons_1 (id=?) LEFT-JOIN
--  SEARCH customer_accounts USING PRIMARY KEY (customer_key=? AND account_key=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--    SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
