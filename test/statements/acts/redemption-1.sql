WITH redemption AS (
  SELECT *
  FROM redemptions
  WHERE redemptions.id = ?
    AND redemptions.request = (
      SELECT program_state.version
      FROM program_state
      WHERE program_state.act = ?
    )
) UPDATE till_holds
SET state = 'redeemed'
FROM redemption
WHERE till_holds.id = redemption.id
  AND till_holds.customer_coupon_key = redemption.customer_coupon_key
  AND till_holds.state = 'held'
  AND redemption.reverses IS NULL

--  SEARCH redemptions USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    SCAN program_state
--  SEARCH till_holds USING PRIMARY KEY (id=?)
