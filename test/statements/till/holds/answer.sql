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
    ) AS is_hold_covered
  FROM program_state
  LEFT JOIN stores ON stores.id = ?3
  LEFT JOIN visible_stores ON visible_stores.key = stores.key
  LEFT JOIN customer_coupons ON customer_coupons.id = ?4
  LEFT JOIN (
    SELECT *
    FROM held_coupon_checks
    WHERE held_coupon_checks.id = ?4
  ) AS held_coupon_checks
    ON true
  CROSS JOIN (
    SELECT count(*) AS holds
    FROM live_holds
    WHERE live_holds.customer_coupon_key = ?4
  ) AS held
  LEFT JOIN redemptions ON redemptions.id = ?2
  LEFT JOIN till_holds ON till_holds.id = ?2
)
SELECT asked.*,
  (
    SELECT program_state.version
    FROM program_state
    WHERE program_state.act = ?5
  ) IS NOT NULL AS is_new
FROM asked

--  MATERIALIZE held_coupon_checks
--    SEARCH customer_coupons USING PRIMARY KEY (id=?)
--    SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--  MATERIALIZE held
--    SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--  SCAN program_state
--  SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?) LEFT-JOIN
--  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  SEARCH customer_coupons USING PRIMARY KEY (id=?) LEFT-JOIN
--  SCAN held_coupon_checks LEFT-JOIN
--  SCAN held
--  SEARCH redemptions USING PRIMARY KEY (id=?) LEFT-JOIN
--  SEARCH till_holds USING PRIMARY KEY (id=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--  CORRELATED SCALAR SUBQUERY
--    SEARCH till_holds USING PRIMARY KEY (id=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH named USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH named USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH named USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH named USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--  SCALAR SUBQUERY
--    SCAN program_state
