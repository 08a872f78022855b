INSERT INTO redemptions (id, customer_coupon_key, store_key, redeemed_at, request)
SELECT ?1, ?2, stores.key, coalesce(?3, (SELECT now FROM clock)), program_state.version
FROM program_state
CROSS JOIN stores ON stores.id = ?4
WHERE program_state.act = ?5

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
