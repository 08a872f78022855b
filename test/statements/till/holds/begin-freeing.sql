UPDATE program_state
SET act = ?1
WHERE EXISTS (
  SELECT 1
  FROM till_holds
  WHERE till_holds.id = ?2
    AND till_holds.state = 'held'
    AND till_holds.held_until >= (SELECT now FROM clock)
    AND (
      till_holds.store_key IS NULL
      OR EXISTS (
        SELECT 1
        FROM stores
        WHERE stores.key = till_holds.store_key
          AND (
            ?3 IS NULL
            OR EXISTS (
              SELECT 1
              FROM accounts
              WHERE accounts.key = stores.account_key
                AND accounts.id IN (SELECT value FROM json_each(?3))
            )
          )
          AND (?4 IS NULL OR stores.id IN (SELECT value FROM json_each(?4)))
      )
    )
)
  OR (
    NOT EXISTS (SELECT 1 FROM till_holds WHERE till_holds.id = ?2)
    AND NOT EXISTS (SELECT 1 FROM redemptions WHERE redemptions.id = ?2)
  )

--  SCAN program_state
--  SCALAR SUBQUERY
--    SEARCH till_holds USING PRIMARY KEY (id=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      LIST SUBQUERY
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--        CREATE BLOOM FILTER
--      CORRELATED SCALAR SUBQUERY
--        SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--        LIST SUBQUERY
--          SCAN json_each VIRTUAL TABLE INDEX 1:
--          CREATE BLOOM FILTER
--  SCALAR SUBQUERY
--    SEARCH till_holds USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    SEARCH redemptions USING PRIMARY KEY (id=?)
