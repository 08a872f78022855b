INSERT INTO till_holds (id, customer_coupon_key, store_key, held_until, state)
SELECT ?,
  held_coupon_checks.id,
  stores.key,
  min(
    datetime((SELECT now FROM clock), ? || ' seconds'), held_coupon_checks.own_ends_at,
    held_coupon_checks.coupon_ends_at
  ),
  'held'
FROM program_state
CROSS JOIN stores ON stores.id = ?
CROSS JOIN (SELECT * FROM held_coupon_checks WHERE held_coupon_checks.id = ?) AS held_coupon_checks
WHERE program_state.act = ?

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SEARCH customer_coupons USING PRIMARY KEY (id=?)
--  SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
