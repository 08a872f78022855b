WITH asked AS (
  SELECT (
    stores.key IS NULL
    OR (
      ?1 IS NULL
      OR EXISTS (
        SELECT 1
        FROM accounts
        WHERE accounts.key = stores.account_key AND accounts.id IN (SELECT value FROM json_each(?1))
      )
    )
  ) AND (
    held_coupon_checks.id IS NULL
    OR (
      ?1 IS NULL
      OR EXISTS (
        SELECT 1
        FROM accounts
        WHERE accounts.key = held_coupon_checks.account_key
          AND accounts.id IN (SELECT value FROM json_each(?1))
      )
    )
  ) AS is_covered,
    visible_stores.key IS NOT NULL AS has_store,
    stores.key AS store_key,
    held_coupon_checks.id AS coupon,
    held_coupon_checks.coupon_not_deleted AS coupon_not_deleted,
    held_coupon_checks.account_not_deleted AS account_not_deleted,
    held_coupon_checks.store_not_deleted AS store_not_deleted,
    held_coupon_checks.not_withdrawn AS not_withdrawn,
    held_coupon_checks.not_used_up AS not_used_up,
    held_coupon_checks.own_end_not_passed AS own_end_not_passed,
    held_coupon_checks.coupon_end_not_passed AS coupon_end_not_passed,
    held_coupon_checks.own_ends_at AS own_ends_at,
    held_coupon_checks.coupon_ends_at AS coupon_ends_at,
    EXISTS (
      SELECT 1
      FROM live_holds
      WHERE live_holds.id = ?2 AND live_holds.customer_coupon_key = customer_coupons.id
    ) OR max(
      0,
      customer_coupons.total_count - (
        customer_coupons.usage_count + customer_coupons.redeemed
      ) - held.holds
    ) > 0 AS a_use_is_free,
    held_coupon_checks.account_key = stores.account_key AS store_of_the_account,
    customer_coupons.total_count AS total_count,
    customer_coupons.usage_count + customer_coupons.redeemed AS uses,
    held.holds AS holds,
    max(
      0,
      customer_coupons.total_count - (
        customer_coupons.usage_count + customer_coupons.redeemed
      ) - held.holds
    ) AS remaining_count,
    redemptions.id AS stored_id,
    redemptions.customer_coupon_key AS stored_coupon,
    (SELECT named.id FROM stores AS named WHERE named.key = redemptions.store_key) AS stored_store,
    redemptions.redeemed_at AS redeemed_at,
    redemptions.reverses AS reverses,
    till_holds.id AS hold_id,
    till_holds.customer_coupon_key AS hold_coupon,
    (SELECT named.id FROM stores AS named WHERE named.key = till_holds.store_key) AS hold_store,
    till_holds.held_until AS held_until,
    (
      ?1 IS NULL
      OR EXISTS (
        SELECT 1
        FROM accounts
        WHERE accounts.key = (
          SELECT named.account_key
          FROM stores AS named
          WHERE named.key = redemptions.store_key
        )
          AND accounts.id IN (SELECT value FROM json_each(?1))
      )
    ) AS is_stored_covered,
    (
      ?1 IS NULL
      OR EXISTS (
        SELECT 1
        FROM accounts
        WHERE accounts.key = (
          SELECT named.account_key
          FROM stores AS named
          WHERE named.key = till_holds.store_key
        )
          AND accounts.id IN (SELECT value FROM json_each(?1))
      )
    ) AS is_hold_covered,
    reversed.id IS NOT NULL AS has_redemption,
    reversed.reverses IS NULL AS redemption_not_a_reversal,
    NOT EXISTS (
      SELECT 1
      FROM redemptions AS other
      WHERE other.reverses = reversed.id
    ) AS not_reversed
  FROM program_state
  LEFT JOIN stores ON stores.id = ?3
  LEFT JOIN visible_stores ON visible_stores.key = stores.key
  LEFT JOIN redemptions AS reversed ON reversed.id = ?4
  LEFT JOIN customer_coupons
    ON customer_coupons.id = (
      SELECT redemptions.customer_coupon_key
      FROM redemptions
      WHERE redemptions.id = ?4
    )
  LEFT JOIN (
    SELECT *
    FROM held_coupon_checks
    WHERE held_coupon_checks.id = (
      SELECT redemptions.customer_coupon_key
      FROM redemptions
      WHERE redemptions.id = ?4
    )
  ) AS held_coupon_checks
    ON true
  CROSS JOIN (
    SELECT count(*) AS holds
    FROM live_holds
    WHERE live_holds.customer_coupon_key = (
      SELECT redemptions.customer_coupon_key
      FROM redemptions
      WHERE redemptions.id = ?4
    )
  ) AS held
  LEFT JOIN redemptions ON redemptions.id = ?2
  LEFT JOIN till_holds ON till_holds.id = ?2
) UPDATE program_state
SET version = program_state.version + 1, act = ?5, restorable = 0
WHERE EXISTS (
  SELECT 1
  FROM asked
  WHERE (
    is_covered AND stored_id IS NULL AND hold_id IS NULL AND has_store AND has_redemption
    AND store_of_the_account AND redemption_not_a_reversal AND not_reversed
  )
)

--  SCAN program_state
--  SCALAR SUBQUERY
--    MATERIALIZE held
--      SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--      SCALAR SUBQUERY
--        SEARCH redemptions USING PRIMARY KEY (id=?)
--      SCALAR SUBQUERY
--        CO-ROUTINE clock
--          SCAN CONSTANT ROW
--        SCAN clock
--    SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      LIST SUBQUERY
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--        CREATE BLOOM FILTER
--    SEARCH customer_coupons USING PRIMARY KEY (id=?)
--    SCALAR SUBQUERY
--      SEARCH redemptions USING PRIMARY KEY (id=?)
--    SCAN program_state
--    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--    SEARCH reversed USING PRIMARY KEY (id=?) LEFT-JOIN
--    CORRELATED SCALAR SUBQUERY
--      SEARCH other USING COVERING INDEX redemptions_reversed (reverses=?)
--    SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      LIST SUBQUERY
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--        CREATE BLOOM FILTER
--    SCAN held
--    SEARCH redemptions USING PRIMARY KEY (id=?) LEFT-JOIN
--    SEARCH till_holds USING PRIMARY KEY (id=?) LEFT-JOIN
