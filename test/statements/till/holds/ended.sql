DELETE
FROM till_holds
WHERE till_holds.id IN (
  (
    SELECT till_holds.id AS id
    FROM till_holds
    WHERE till_holds.held_until < (SELECT datetime(now, ?1) FROM clock)
    LIMIT 0 + ?2
  )
)
RETURNING till_holds.id AS id

--  SEARCH till_holds USING PRIMARY KEY (id=?)
--  LIST SUBQUERY
--    SCAN till_holds
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
