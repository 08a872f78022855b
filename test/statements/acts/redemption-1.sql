WITH redemption AS (
  SELECT *
  FROM redemptions
  WHERE redemptions.id = ?1
    AND redemptions.request = (
      SELECT program_state.version
      FROM program_state
      WHERE program_state.act = ?2
    )
) UPDATE customer_coupons
SET redeemed = customer_coupons.redeemed + new.redeemed
FROM (
  SELECT redemptions.customer_coupon_key AS id,
    sum(iif(redemptions.reverses IS NULL, 1, -1)) AS redeemed
  FROM redemption AS redemptions
  WHERE true
  GROUP BY redemptions.customer_coupon_key
) AS new
WHERE customer_coupons.id = new.id

--  MATERIALIZE new
--    SEARCH redemptions USING PRIMARY KEY (id=?)
--    SCALAR SUBQUERY
--      SCAN program_state
--  SCAN new
--  SEARCH customer_coupons USING PRIMARY KEY (id=?)
