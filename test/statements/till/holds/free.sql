INSERT INTO till_holds (id, customer_coupon_key, store_key, held_until, state)
SELECT ?1, NULL, NULL, (SELECT now FROM clock), 'freed'
FROM program_state
WHERE program_state.act = ?2
ON CONFLICT (id) DO UPDATE
SET state = 'freed'

--  SCAN program_state
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
