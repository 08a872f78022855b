INSERT INTO redemptions (id, customer_coupon_key, store_key, redeemed_at, request)
SELECT ?, ?, stores.key, coalesce(?, (SELECT now FROM clock)), program_state.version
FROM program_state
CROSS JOIN stores ON stores.id = ?
WHERE program_state.act = ?

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
