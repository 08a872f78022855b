INSERT INTO requests (version, at, source, subject, lines, line)
SELECT program_state.version,
  (SELECT now FROM clock),
  ?,
  ?,
  1,
  json_object(
    'record', 'redemption', 'id', redemptions.id, 'customer_coupon_id',
    redemptions.customer_coupon_key, 'store_id',
    (SELECT stores.id FROM stores WHERE stores.key = redemptions.store_key), 'redeemed_at',
    redemptions.redeemed_at, 'reverses', redemptions.reverses
  )
FROM program_state
CROSS JOIN redemptions ON redemptions.id = ?
WHERE program_state.act = ?

--  SCAN program_state
--  SEARCH redemptions USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
