WITH listed(items, bytes, entries, coupons, accounts) AS MATERIALIZED (
  SELECT count(*),
    sum(bytes),
    json_group_array(json_array(coupon_key, account_key, kind, issued_id, bytes)),
    json_group_array(DISTINCT coupon_key),
    json_group_array(DISTINCT account_key)
  FROM (
    SELECT page.*, coupon_bytes AS bytes
    FROM (
      SELECT valid_coupons.kind AS kind,
        valid_coupons.issued_id AS issued_id,
        valid_coupons.coupon_key AS coupon_key,
        valid_coupons.account_key AS account_key,
        valid_coupons.coupon_bytes AS coupon_bytes
      FROM valid_coupons
      WHERE valid_coupons.customer_key = (
        SELECT customers.key
        FROM customers
        WHERE customers.id = ?
      )
      ORDER BY valid_coupons.kind DESC,
        valid_coupons.ends_at,
        valid_coupons.created_at DESC,
        valid_coupons.id
      LIMIT 0 + 1 + ? OFFSET ?
    ) AS page
  )
),
shown AS MATERIALIZED (
  SELECT *,
    iif(
      bytes + iif(
        items <= 100, 0,
        (
          SELECT sum(octet_length(json_array(customer_coupons.creation_method, stores.store_image)))
          FROM json_each(listed.entries) AS entry
          LEFT JOIN customer_coupons ON customer_coupons.id = (entry.value ->> 3)
          LEFT JOIN stores ON stores.key = customer_coupons.store_key
        )
      ) < 2097152,
      items,
      1 + (
        SELECT count(*)
        FROM (
          SELECT sum(
            (entry.value ->> 4) + octet_length(
              json_array(customer_coupons.creation_method, stores.store_image)
            )
          ) OVER (ORDER BY entry.key) AS bytes
          FROM json_each(listed.entries) AS entry
          LEFT JOIN customer_coupons ON customer_coupons.id = (entry.value ->> 3)
          LEFT JOIN stores ON stores.key = customer_coupons.store_key
        ) AS upto
        WHERE upto.bytes < 2097152
      )
    ) AS fitting
  FROM listed
)
SELECT (entry.value ->> 2) AS part,
  (entry.value ->> 0) AS key,
  iif(
    customer_coupons.id IS NULL, NULL,
    json_object(
      'id', customer_coupons.id, 'expected_end_date',
      iif(
        customer_coupons.expected_end_date IS NULL, NULL,
        min(customer_coupons.ends_at, '9999-12-31 23:59:59')
      ),
      'creation_method', customer_coupons.creation_method, 'created_at',
      customer_coupons.created_at, 'updated_at', customer_coupons.updated_at, 'deleted_at',
      customer_coupons.deleted_at, 'store_name', stores.name, 'total_count',
      customer_coupons.total_count, 'usage_count', customer_coupons.usage_count, 'remaining_count',
      customer_coupons.total_count - customer_coupons.usage_count, 'store_image', stores.store_image
    )
  ) AS record,
  (entry.value ->> 1) AS account_key,
  shown.items AS listed
FROM shown
CROSS JOIN json_each(shown.entries) AS entry
LEFT JOIN customer_coupons ON customer_coupons.id = (entry.value ->> 3)
LEFT JOIN stores ON stores.key = customer_coupons.store_key
WHERE entry.key < shown.fitting AND entry.key < ?
UNION ALL
SELECT 'coupon' AS part,
  coupons.key AS key,
  substr(coupons.text, 1, length(coupons.text) - 1) || ',' || substr(
    iif(
      coupons.kind = 'digital',
      json_object(
        'id', coupons.id, 'coupon_barcode', coupons.coupon_barcode, 'is_digital', 1, 'is_custom',
        coupons.is_custom, 'can_combine_with_other', coupons.can_combine_with_other, 'created_at',
        coupons.created_at
      ),
      json_object(
        'customer_id', ?, 'campaign_coupon_id', coupons.id, 'campaign_id',
        coalesce(coupons.campaign_id, ''), 'coupon_barcode',
        CAST(coupons.coupon_barcode AS INTEGER), 'campaign_coupon_created', coupons.created_at
      )
    ),
    2
  ) AS record,
  NULL AS account_key,
  NULL AS listed
FROM coupons
WHERE coupons.key IN (
  SELECT value
  FROM json_each(
    (
      SELECT iif(
        fitting = items, coupons,
        (
          SELECT json_group_array((entry.value ->> 0))
          FROM json_each(shown.entries) AS entry
          WHERE entry.key < shown.fitting
        )
      )
      FROM shown
    )
  )
)

--  COMPOUND QUERY
--    LEFT-MOST SUBQUERY
--      MATERIALIZE shown
--        MATERIALIZE listed
--          CO-ROUTINE page
--            CO-ROUTINE valid_coupons
--              COMPOUND QUERY
--                LEFT-MOST SUBQUERY
--                  SEARCH customer_coupons USING INDEX customer_coupons_usable (customer_key=? AND usable=? AND ends_at>?)
--                  SCALAR SUBQUERY
--                    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                  SCALAR SUBQUERY
--                    CO-ROUTINE clock
--                      SCAN CONSTANT ROW
--                    SCAN clock
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--                  SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--                  SCALAR SUBQUERY
--                    CO-ROUTINE clock
--                      SCAN CONSTANT ROW
--                    SCAN clock
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                UNION ALL
--                  CO-ROUTINE joined
--                    SEARCH memberships USING COVERING INDEX memberships_by_customer (customer_key=? AND joined=?)
--                    SCALAR SUBQUERY
--                      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                    USE TEMP B-TREE FOR DISTINCT
--                  SCAN joined
--                  SCALAR SUBQUERY
--                    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--                  SEARCH coupons USING INDEX coupons_digital (account_key=? AND ends_at>?)
--                  SCALAR SUBQUERY
--                    CO-ROUTINE clock
--                      SCAN CONSTANT ROW
--                    SCAN clock
--            SCAN valid_coupons
--            SCALAR SUBQUERY
--              SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--            USE TEMP B-TREE FOR ORDER BY
--          USE TEMP B-TREE FOR json_group_array(DISTINCT)
--          USE TEMP B-TREE FOR json_group_array(DISTINCT)
--          SCAN page
--        SCAN listed
--        CORRELATED SCALAR SUBQUERY
--          SCAN entry VIRTUAL TABLE INDEX 1:
--          SEARCH customer_coupons USING PRIMARY KEY (id=?) LEFT-JOIN
--          SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--        CORRELATED SCALAR SUBQUERY
--          CO-ROUTINE upto
--            CO-ROUTINE (subquery)
--              SCAN entry VIRTUAL TABLE INDEX 1:
--              SEARCH customer_coupons USING PRIMARY KEY (id=?) LEFT-JOIN
--              SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--              USE TEMP B-TREE FOR ORDER BY
--            SCAN (subquery)
--          SCAN upto
--      SCAN shown
--      SCAN entry VIRTUAL TABLE INDEX 1:
--      SEARCH customer_coupons USING PRIMARY KEY (id=?) LEFT-JOIN
--      SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--    UNION ALL
--      SEARCH coupons USING INTEGER PRIMARY KEY (rowid=?)
--      LIST SUBQUERY
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--        SCALAR SUBQUERY
--          SCAN shown
--          CORRELATED SCALAR SUBQUERY
--            SCAN entry VIRTUAL TABLE INDEX 1:
