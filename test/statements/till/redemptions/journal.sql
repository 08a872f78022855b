INSERT INTO requests (version, at, source, subject, lines, line)
SELECT program_state.version,
  (SELECT now FROM clock),
  ?1,
  ?2,
  1,
  json_object(
    'record', 'redemption', 'id', redemptions.id, 'customer_coupon_id',
    redemptions.customer_coupon_key, 'store_id',
    (SELECT stores.id FROM stores WHERE stores.key = redemptions.store_key), 'redeemed_at',
    redemptions.redeemed_at, 'reverses', redemptions.reverses
  )
FROM program_state
CROSS JOIN redemptions ON redemptions.id = ?3
WHERE program_state.act = ?4
RETURNING (
  SELECT json_group_array(
    json_object(
      'version', outbox.version, 'topic', outbox.topic, 'customers', json(outbox.customers),
      'newestAt', outbox.newest_at, 'storedAt', outbox.stored_at
    )
  )
  FROM outbox
  WHERE outbox.version = requests.version
) AS changes

--  SCAN program_state
--  SEARCH redemptions USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH outbox USING PRIMARY KEY (version=?)
