WITH page AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT *,
      sum(
        coupon_bytes + account_bytes + coalesce(octet_length(record), 0)
      ) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS bytes_before
    FROM (
      SELECT valid.*,
        0 AS account_bytes,
        iif(
          valid.kind = 'digital', json_object('id', valid.id, 'created_at', valid.created_at),
          json_object(
            'id', customer_coupons.id, 'expected_end_date',
            iif(
              customer_coupons.expected_end_date IS NULL, NULL,
              min(customer_coupons.ends_at, '9999-12-31 23:59:59')
            ),
            'creation_method', customer_coupons.creation_method, 'created_at',
            customer_coupons.created_at, 'updated_at', customer_coupons.updated_at, 'deleted_at',
            customer_coupons.deleted_at, 'store_name', stores.name, 'total_count',
            customer_coupons.total_count, 'usage_count',
            customer_coupons.usage_count + customer_coupons.redeemed, 'remaining_count',
            max(
              0,
              customer_coupons.total_count - (
                customer_coupons.usage_count + customer_coupons.redeemed
              ) - iif(
                EXISTS (
                  SELECT 1
                  FROM till_holds
                  WHERE till_holds.customer_coupon_key = customer_coupons.id
                    AND till_holds.state = 'held'
                ),
                (
                  SELECT count(*)
                  FROM live_holds
                  WHERE live_holds.customer_coupon_key = customer_coupons.id
                ),
                0
              )
            ),
            'store_image', stores.store_image
          )
        ) AS record,
        (
          SELECT iif(
            false, NULL,
            json_object(
              'own_ends_at', held_coupon_checks.own_ends_at, 'coupon_ends_at',
              held_coupon_checks.coupon_ends_at, 'coupon_not_deleted',
              held_coupon_checks.coupon_not_deleted, 'account_not_deleted',
              held_coupon_checks.account_not_deleted, 'store_not_deleted',
              held_coupon_checks.store_not_deleted, 'not_withdrawn',
              held_coupon_checks.not_withdrawn, 'not_used_up', held_coupon_checks.not_used_up,
              'own_end_not_passed', held_coupon_checks.own_end_not_passed, 'coupon_end_not_passed',
              held_coupon_checks.coupon_end_not_passed, 'a_use_is_free',
              max(
                0,
                customer_coupons.total_count - (
                  customer_coupons.usage_count + customer_coupons.redeemed
                ) - iif(
                  EXISTS (
                    SELECT 1
                    FROM till_holds
                    WHERE till_holds.customer_coupon_key = customer_coupons.id
                      AND till_holds.state = 'held'
                  ),
                  (
                    SELECT count(*)
                    FROM live_holds
                    WHERE live_holds.customer_coupon_key = customer_coupons.id
                  ),
                  0
                )
              ) > 0,
              'total_count', customer_coupons.total_count, 'uses',
              customer_coupons.usage_count + customer_coupons.redeemed, 'holds',
              iif(
                EXISTS (
                  SELECT 1
                  FROM till_holds
                  WHERE till_holds.customer_coupon_key = customer_coupons.id
                    AND till_holds.state = 'held'
                ),
                (
                  SELECT count(*)
                  FROM live_holds
                  WHERE live_holds.customer_coupon_key = customer_coupons.id
                ),
                0
              )
            )
          )
          FROM held_coupon_checks
          WHERE held_coupon_checks.id = customer_coupons.id
        ) AS facts
      FROM (
        SELECT held_coupon_checks.kind AS kind,
          held_coupon_checks.id AS issued_id,
          held_coupon_checks.coupon_key AS coupon_key,
          held_coupon_checks.account_key AS account_key,
          held_coupon_checks.coupon_bytes AS coupon_bytes,
          min(held_coupon_checks.own_ends_at, held_coupon_checks.coupon_ends_at) AS ends_at,
          held_coupon_checks.created_at AS created_at,
          held_coupon_checks.id AS id
        FROM (
          SELECT *
          FROM (
            SELECT *
            FROM (
              SELECT customer_coupons.id AS id
              FROM customer_coupons
              WHERE customer_coupons.customer_key = (
                SELECT customers.key
                FROM customers
                WHERE customers.id = ?1
              )
                AND customer_coupons.kind = 'store'
                AND customer_coupons.usable = 0
              ORDER BY customer_coupons.ends_at DESC
              LIMIT 500
            )
            UNION ALL
            SELECT *
            FROM (
              SELECT customer_coupons.id AS id
              FROM customer_coupons
              WHERE customer_coupons.customer_key = (
                SELECT customers.key
                FROM customers
                WHERE customers.id = ?1
              )
                AND customer_coupons.kind = 'store'
                AND customer_coupons.usable = 1
                AND customer_coupons.ends_at < (SELECT now FROM clock)
              ORDER BY customer_coupons.ends_at DESC
              LIMIT 500
            )
          )
          UNION ALL
          SELECT *
          FROM (
            SELECT *
            FROM (
              SELECT customer_coupons.id AS id
              FROM customer_coupons
              WHERE customer_coupons.customer_key = (
                SELECT customers.key
                FROM customers
                WHERE customers.id = ?1
              )
                AND customer_coupons.kind = 'store'
                AND customer_coupons.usable = 1
                AND customer_coupons.ends_at >= (SELECT now FROM clock)
              ORDER BY customer_coupons.ends_at DESC
              LIMIT 500
            )
            UNION ALL
            SELECT *
            FROM (
              SELECT customer_coupons.id AS id
              FROM customer_coupons
              WHERE customer_coupons.customer_key = (
                SELECT customers.key
                FROM customers
                WHERE customers.id = ?1
              )
                AND customer_coupons.kind = 'mfg'
                AND customer_coupons.usable = 0
              ORDER BY customer_coupons.ends_at DESC
              LIMIT 500
            )
          )
          UNION ALL
          SELECT *
          FROM (
            SELECT *
            FROM (
              SELECT customer_coupons.id AS id
              FROM customer_coupons
              WHERE customer_coupons.customer_key = (
                SELECT customers.key
                FROM customers
                WHERE customers.id = ?1
              )
                AND customer_coupons.kind = 'mfg'
                AND customer_coupons.usable = 1
                AND customer_coupons.ends_at < (SELECT now FROM clock)
              ORDER BY customer_coupons.ends_at DESC
              LIMIT 500
            )
            UNION ALL
            SELECT *
            FROM (
              SELECT customer_coupons.id AS id
              FROM customer_coupons
              WHERE customer_coupons.customer_key = (
                SELECT customers.key
                FROM customers
                WHERE customers.id = ?1
              )
                AND customer_coupons.kind = 'mfg'
                AND customer_coupons.usable = 1
                AND customer_coupons.ends_at >= (SELECT now FROM clock)
              ORDER BY customer_coupons.ends_at DESC
              LIMIT 500
            )
          )
        ) AS candidate
        CROSS JOIN held_coupon_checks ON held_coupon_checks.id = candidate.id
        CROSS JOIN customer_coupons ON customer_coupons.id = candidate.id
        WHERE held_coupon_checks.account_key = (
          (SELECT stores.account_key AS account_key FROM stores WHERE stores.id = ?2)
        )
          AND NOT (
            held_coupon_checks.not_used_up AND held_coupon_checks.own_end_not_passed
            AND held_coupon_checks.coupon_end_not_passed
          )
          AND held_coupon_checks.coupon_not_deleted
          AND held_coupon_checks.account_not_deleted
          AND held_coupon_checks.not_withdrawn
        ORDER BY max(
          iif(
            min(
              held_coupon_checks.own_ends_at, held_coupon_checks.coupon_ends_at
            ) < (SELECT now FROM clock),
            min(held_coupon_checks.own_ends_at, held_coupon_checks.coupon_ends_at), ''
          ),
          iif(
            held_coupon_checks.not_used_up, '',
            coalesce(
              (
                SELECT max(redemptions.redeemed_at)
                FROM redemptions
                WHERE redemptions.customer_coupon_key = held_coupon_checks.id
                  AND redemptions.reverses IS NULL
              ),
              customer_coupons.updated_at, customer_coupons.created_at
            )
          )
        ) DESC,
          held_coupon_checks.created_at DESC,
          held_coupon_checks.id
        LIMIT 50
      ) AS valid
      LEFT JOIN customer_coupons ON customer_coupons.id = valid.issued_id
      LEFT JOIN stores ON stores.key = customer_coupons.store_key
    ) AS listed
  )
  WHERE coalesce(bytes_before, 0) < 2097152
)
SELECT kind AS part,
  coupon_key AS key,
  record AS record,
  account_key AS account_key,
  ends_at AS ends_at,
  facts AS facts
FROM page
UNION ALL
SELECT 'coupon' AS part,
  coupons.key AS key,
  substr(coupons.text, 1, length(coupons.text) - 1) || ',' || substr(
    iif(
      coupons.kind = 'digital',
      json_object(
        'id', coupons.id, 'coupon_barcode', coupons.coupon_barcode, 'barcode',
        coupons.coupon_barcode, 'is_digital', 1, 'is_custom', coupons.is_custom,
        'can_combine_with_other', coupons.can_combine_with_other, 'created_at', coupons.created_at
      ),
      json_object(
        'customer_id', ?1, 'campaign_coupon_id', coupons.id, 'campaign_id',
        coalesce(coupons.campaign_id, ''), 'coupon_barcode',
        iif(
          length(coupons.coupon_barcode) <= 15 AND coupons.coupon_barcode NOT GLOB '*[^0-9]*',
          CAST(coupons.coupon_barcode AS INTEGER), 0
        ),
        'barcode', coupons.coupon_barcode, 'campaign_coupon_created', coupons.created_at
      )
    ),
    2
  ) AS record,
  NULL AS account_key,
  NULL AS ends_at,
  NULL AS facts
FROM coupons
WHERE coupons.key IN (SELECT coupon_key FROM page)

--  COMPOUND QUERY
--    LEFT-MOST SUBQUERY
--      MATERIALIZE page
--        CO-ROUTINE (subquery)
--          CO-ROUTINE (subquery)
--            CO-ROUTINE valid
--              CO-ROUTINE candidate
--                COMPOUND QUERY
--                  LEFT-MOST SUBQUERY
--                    COMPOUND QUERY
--                      LEFT-MOST SUBQUERY
--                        CO-ROUTINE (subquery)
--                          SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=?)
--                          SCALAR SUBQUERY
--                            SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                        SCAN (subquery)
--                      UNION ALL
--                        CO-ROUTINE (subquery)
--                          SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=? AND ends_at<?)
--                          SCALAR SUBQUERY
--                            SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                          SCALAR SUBQUERY
--                            CO-ROUTINE clock
--                              SCAN CONSTANT ROW
--                            SCAN clock
--                        SCAN (subquery)
--                      UNION ALL
--                        COMPOUND QUERY
--                          LEFT-MOST SUBQUERY
--                            CO-ROUTINE (subquery)
--                              SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=? AND ends_at>?)
--                              SCALAR SUBQUERY
--                                SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                              SCALAR SUBQUERY
--                                CO-ROUTINE clock
--                                  SCAN CONSTANT ROW
--                                SCAN clock
--                            SCAN (subquery)
--                          UNION ALL
--                            CO-ROUTINE (subquery)
--                              SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=?)
--                              SCALAR SUBQUERY
--                                SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                            SCAN (subquery)
--                          UNION ALL
--                            COMPOUND QUERY
--                              LEFT-MOST SUBQUERY
--                                CO-ROUTINE (subquery)
--                                  SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=? AND ends_at<?)
--                                  SCALAR SUBQUERY
--                                    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                                  SCALAR SUBQUERY
--                                    CO-ROUTINE clock
--                                      SCAN CONSTANT ROW
--                                    SCAN clock
--                                SCAN (subquery)
--                              UNION ALL
--                                CO-ROUTINE (subquery)
--                                  SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=? AND ends_at>?)
--                                  SCALAR SUBQUERY
--                                    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                                  SCALAR SUBQUERY
--                                    CO-ROUTINE clock
--                                      SCAN CONSTANT ROW
--                                    SCAN clock
--                                SCAN (subquery)
--                      SCAN candidate
--                      SEARCH customer_coupons USING PRIMARY KEY (id=?)
--                      SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--                      SCALAR SUBQUERY
--                        SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?)
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                      SEARCH customer_coupons USING PRIMARY KEY (id=?)
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH redemptions USING INDEX redemptions_of_coupons (customer_coupon_key=?)
--                      USE TEMP B-TREE FOR ORDER BY
--                    SCAN valid
--                    SEARCH customer_coupons USING PRIMARY KEY (id=?) LEFT-JOIN
--                    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH customer_coupons USING PRIMARY KEY (id=?)
--                      SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--                        SCALAR SUBQUERY
--                          CO-ROUTINE clock
--                            SCAN CONSTANT ROW
--                          SCAN clock
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--                        SCALAR SUBQUERY
--                          CO-ROUTINE clock
--                            SCAN CONSTANT ROW
--                          SCAN clock
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                  SCAN (subquery)
--                SCAN (subquery)
--              SCAN page
--            UNION ALL
--              SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--              LIST SUBQUERY
--                SCAN page
