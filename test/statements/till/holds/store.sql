INSERT INTO till_holds (id, customer_coupon_key, store_key, held_until, state)
SELECT ?1,
  held_coupon_checks.id,
  stores.key,
  min(
    datetime((SELECT now FROM clock), ?2 || ' seconds'), held_coupon_checks.own_ends_at,
    held_coupon_checks.coupon_ends_at
  ),
  'held'
FROM program_state
CROSS JOIN stores ON stores.id = ?3
CROSS JOIN (SELECT * FROM held_coupon_checks WHERE held_coupon_checks.id = ?4) AS held_coupon_checks
WHERE program_state.act = ?5

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SEARCH customer_coupons USING PRIMARY KEY (id=?)
--  SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
