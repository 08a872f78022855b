SELECT till_holds.store_key IS NULL OR EXISTS (
  SELECT 1
  FROM stores
  WHERE stores.key = till_holds.store_key
    AND (
      ?1 IS NULL
      OR EXISTS (
        SELECT 1
        FROM accounts
        WHERE accounts.key = stores.account_key AND accounts.id IN (SELECT value FROM json_each(?1))
      )
    )
    AND (?2 IS NULL OR stores.id IN (SELECT value FROM json_each(?2)))
) AS is_covered,
  coalesce(till_holds.state = 'freed' AND till_holds.customer_coupon_key IS NOT NULL, 0) AS freed,
  EXISTS (
    SELECT 1
    FROM redemptions
    WHERE redemptions.id = ?3 AND redemptions.reverses IS NULL
  ) AS redeemed
FROM program_state
LEFT JOIN till_holds ON till_holds.id = ?3

--  SCAN program_state
--  SEARCH till_holds USING PRIMARY KEY (id=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      LIST SUBQUERY
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--        CREATE BLOOM FILTER
--  SCALAR SUBQUERY
--    SEARCH redemptions USING PRIMARY KEY (id=?)
