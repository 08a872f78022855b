SELECT visible_customers.key IS NOT NULL AS has_customer,
  held_coupon_checks.id IS NOT NULL AS has_coupon,
  (
    ?1 IS NULL
    OR EXISTS (
      SELECT 1
      FROM accounts
      WHERE accounts.key = held_coupon_checks.account_key
        AND accounts.id IN (SELECT value FROM json_each(?1))
    )
  ) AS is_covered,
  held_coupon_checks.customer_key = visible_customers.key AS belongs_to_customer,
  held_coupon_checks.coupon_not_deleted AS coupon_not_deleted,
  held_coupon_checks.account_not_deleted AS account_not_deleted,
  held_coupon_checks.store_not_deleted AS store_not_deleted,
  held_coupon_checks.not_withdrawn AS not_withdrawn,
  held_coupon_checks.not_used_up AS not_used_up,
  held_coupon_checks.own_end_not_passed AS own_end_not_passed,
  held_coupon_checks.coupon_end_not_passed AS coupon_end_not_passed,
  held_coupon_checks.own_ends_at AS own_ends_at,
  held_coupon_checks.coupon_ends_at AS coupon_ends_at,
  customer_coupons.total_count AS total_count,
  customer_coupons.usage_count + customer_coupons.redeemed AS uses
FROM program_state
LEFT JOIN visible_customers ON visible_customers.id = ?2
LEFT JOIN customer_coupons ON customer_coupons.id = ?3
LEFT JOIN (SELECT * FROM held_coupon_checks WHERE held_coupon_checks.id = ?3) AS held_coupon_checks
  ON true

--  MATERIALIZE held_coupon_checks
--    SEARCH customer_coupons USING PRIMARY KEY (id=?)
--    SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--  SCAN program_state
--  SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?) LEFT-JOIN
--  SEARCH customer_coupons USING PRIMARY KEY (id=?) LEFT-JOIN
--  SCAN held_coupon_checks LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
