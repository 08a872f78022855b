WITH page AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT *,
      sum(
        coupon_bytes + account_bytes + coalesce(octet_length(record), 0)
      ) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS bytes_before
    FROM (
      SELECT valid.*,
        coalesce(octet_length(accounts.fields), 0) + coalesce(octet_length(accounts.loyalty_options), 0) + coalesce(octet_length(accounts.chain_logo), 0) AS account_bytes,
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
            'store_image', stores.store_image, 'coupon_id', customer_coupons.coupon_id, 'reserved',
            customer_coupons.reserved + iif(
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
        ) AS record,
        NULL AS facts
      FROM (
        SELECT *
        FROM (
          WITH listed AS (
            SELECT held_coupons.kind AS kind,
              held_coupons.issued_id AS issued_id,
              held_coupons.coupon_key AS coupon_key,
              held_coupons.account_key AS account_key,
              held_coupons.coupon_bytes AS coupon_bytes,
              held_coupons.ends_at AS ends_at,
              held_coupons.created_at AS created_at,
              held_coupons.id AS id,
              true AS passes
            FROM held_coupons
            WHERE held_coupons.customer_key = (
              SELECT customers.key
              FROM customers
              WHERE customers.id = ?1
            )
              AND held_coupons.kind = 'store'
            ORDER BY held_coupons.ends_at, held_coupons.created_at DESC, held_coupons.id
            LIMIT 5000
          )
          SELECT *
          FROM listed AS held_coupons
          WHERE passes
            AND 'store' <= ?2
            AND (
              'store' < ?2 OR held_coupons.ends_at >= ?3
              AND (
                held_coupons.ends_at > ?3 OR held_coupons.created_at <= ?4
                AND (held_coupons.created_at < ?4 OR (held_coupons.id) > (?5))
              )
            )
        )
        UNION ALL
        SELECT *
        FROM (
          WITH listed AS (
            SELECT held_coupons.kind AS kind,
              held_coupons.issued_id AS issued_id,
              held_coupons.coupon_key AS coupon_key,
              held_coupons.account_key AS account_key,
              held_coupons.coupon_bytes AS coupon_bytes,
              held_coupons.ends_at AS ends_at,
              held_coupons.created_at AS created_at,
              held_coupons.id AS id,
              true AS passes
            FROM held_coupons
            WHERE held_coupons.customer_key = (
              SELECT customers.key
              FROM customers
              WHERE customers.id = ?1
            )
              AND held_coupons.kind = 'mfg'
            ORDER BY held_coupons.ends_at, held_coupons.created_at DESC, held_coupons.id
            LIMIT 5000
          )
          SELECT *
          FROM listed AS held_coupons
          WHERE passes
            AND 'mfg' <= ?2
            AND (
              'mfg' < ?2 OR held_coupons.ends_at >= ?3
              AND (
                held_coupons.ends_at > ?3 OR held_coupons.created_at <= ?4
                AND (held_coupons.created_at < ?4 OR (held_coupons.id) > (?5))
              )
            )
        )
        LIMIT 0 + 1 + ?6 OFFSET ?7
      ) AS valid
      LEFT JOIN customer_coupons ON customer_coupons.id = valid.issued_id
      LEFT JOIN stores ON stores.key = customer_coupons.store_key
      CROSS JOIN accounts ON accounts.key = valid.account_key
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
  substr(coupons.text, 1, length(coupons.text) - 1) || ',"campaign_coupon":' || substr(coupons.text, 1, length(coupons.text) - 1) || ',' || substr(
    json_object(
      'id', coupons.id, 'campaign_id', coalesce(coupons.campaign_id, ''), 'source_campaign_id',
      coupons.source_campaign_id, 'coupon_barcode',
      iif(
        length(coupons.coupon_barcode) <= 15 AND coupons.coupon_barcode NOT GLOB '*[^0-9]*',
        CAST(coupons.coupon_barcode AS INTEGER), 0
      ),
      'filter_items', json(coalesce(coupons.filter_items, 'null'))
    ),
    2
  ) || ',' || substr(
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
UNION ALL
SELECT 'account' AS part,
  accounts.key AS key,
  (
    substr(accounts.fields, 1, length(accounts.fields) - 1) || ',"core_tenant_id":'
    || coalesce(accounts.core_tenant_id, 'null') || ',"core_app_account_id":'
    || coalesce(accounts.core_app_account_id, 'null') || ',"loyalty_options":'
    || coalesce(
      substr(
        accounts.loyalty_options, 1, length(accounts.loyalty_options) - 1
      ) || ',"chain_logo":' || coalesce(json_quote(accounts.chain_logo), 'null') || ',"mailer_domain":"","mailer_secret":"","mailer_endpoint":"","mailer_username":"","mailer_password":"","mailer_from_email":"","mailer_from_name":""}',
      'null'
    )
    || '}'
  ) AS record,
  NULL AS account_key,
  NULL AS ends_at,
  NULL AS facts
FROM accounts
WHERE accounts.key IN (SELECT account_key FROM page)

--  COMPOUND QUERY
--    LEFT-MOST SUBQUERY
--      MATERIALIZE page
--        CO-ROUTINE (subquery)
--          CO-ROUTINE (subquery)
--            CO-ROUTINE valid
--              COMPOUND QUERY
--                LEFT-MOST SUBQUERY
--                  CO-ROUTINE listed
--                    SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=? AND ends_at>?)
--                    SCALAR SUBQUERY
--                      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                    SCALAR SUBQUERY
--                      CO-ROUTINE clock
--                        SCAN CONSTANT ROW
--                      SCAN clock
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--                    SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--                    SCALAR SUBQUERY
--                      CO-ROUTINE clock
--                        SCAN CONSTANT ROW
--                      SCAN clock
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                    USE TEMP B-TREE FOR ORDER BY
--                  SCAN held_coupons
--                UNION ALL
--                  CO-ROUTINE listed
--                    SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND kind=? AND ends_at>?)
--                    SCALAR SUBQUERY
--                      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                    SCALAR SUBQUERY
--                      CO-ROUTINE clock
--                        SCAN CONSTANT ROW
--                      SCAN clock
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--                    SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--                    SCALAR SUBQUERY
--                      CO-ROUTINE clock
--                        SCAN CONSTANT ROW
--                      SCAN clock
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                    USE TEMP B-TREE FOR ORDER BY
--                  SCAN held_coupons
--            SCAN valid
--            SEARCH customer_coupons USING PRIMARY KEY (id=?) LEFT-JOIN
--            SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--            SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--              SCALAR SUBQUERY
--                CO-ROUTINE clock
--                  SCAN CONSTANT ROW
--                SCAN clock
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--              SCALAR SUBQUERY
--                CO-ROUTINE clock
--                  SCAN CONSTANT ROW
--                SCAN clock
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--              SCALAR SUBQUERY
--                CO-ROUTINE clock
--                  SCAN CONSTANT ROW
--                SCAN clock
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=?)
--            CORRELATED SCALAR SUBQUERY
--              SEARCH till_holds USING COVERING INDEX till_holds_of_coupons (customer_coupon_key=? AND held_until>?)
--              SCALAR SUBQUERY
--                CO-ROUTINE clock
--                  SCAN CONSTANT ROW
--                SCAN clock
--          SCAN (subquery)
--        SCAN (subquery)
--      SCAN page
--    UNION ALL
--      SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--      LIST SUBQUERY
--        SCAN page
--    UNION ALL
--      SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      LIST SUBQUERY
--        SCAN page
