INSERT INTO redemptions (id, customer_coupon_key, store_key, redeemed_at, reverses, request)
SELECT ?,
  reversed.customer_coupon_key,
  stores.key,
  (SELECT now FROM clock),
  reversed.id,
  program_state.version
FROM program_state
CROSS JOIN stores ON stores.id = ?
LEFT JOIN redemptions AS reversed ON reversed.id = ?
WHERE program_state.act = ?

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SEARCH reversed USING PRIMARY KEY (id=?) LEFT-JOIN
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
