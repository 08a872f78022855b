INSERT INTO redemptions (id, customer_coupon_key, store_key, redeemed_at, reverses, request)
SELECT ?1,
  reversed.customer_coupon_key,
  stores.key,
  (SELECT now FROM clock),
  reversed.id,
  program_state.version
FROM program_state
CROSS JOIN stores ON stores.id = ?2
LEFT JOIN redemptions AS reversed ON reversed.id = ?3
WHERE program_state.act = ?4

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SEARCH reversed USING PRIMARY KEY (id=?) LEFT-JOIN
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
