SELECT 'entry' AS part,
  balance_entries.id AS id,
  balance_entries.amount AS amount,
  balance_entries.description AS description,
  balance_entries.created_at AS created_at,
  stores.id AS store_id,
  stores.name AS store_name,
  visible_accounts.id AS account_id,
  campaigns.id AS campaign_id,
  campaigns.name AS campaign_name
FROM (
  SELECT *
  FROM balance_entries INDEXED BY balance_entries_by_customer
  WHERE balance_entries.customer_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
    AND balance_entries.id NOT GLOB 'sealed:*'
    AND (balance_entries.created_at, balance_entries.id) < (?2, ?3)
  ORDER BY balance_entries.created_at DESC, balance_entries.id DESC
  LIMIT 1000
) AS balance_entries
CROSS JOIN stores ON stores.key = balance_entries.store_key
CROSS JOIN visible_accounts
  ON visible_accounts.key = stores.account_key
  AND (?4 IS NULL OR visible_accounts.id = ?4)
LEFT JOIN campaigns ON campaigns.key = balance_entries.campaign_key
UNION ALL
SELECT 'end', balance_entries.id, 0, '', balance_entries.created_at, NULL, NULL, NULL, NULL, NULL
FROM (
  SELECT *
  FROM balance_entries INDEXED BY balance_entries_by_customer
  WHERE balance_entries.customer_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
    AND balance_entries.id NOT GLOB 'sealed:*'
    AND (balance_entries.created_at, balance_entries.id) < (?2, ?3)
  ORDER BY balance_entries.created_at DESC, balance_entries.id DESC
  LIMIT 1 OFFSET 999
) AS balance_entries
UNION ALL
SELECT *
FROM (
  SELECT 'forward',
    NULL,
    total(balance_entries.amount),
    '',
    max(balance_entries.created_at),
    NULL,
    NULL,
    visible_accounts.id,
    NULL,
    NULL
  FROM balance_entries
  CROSS JOIN stores ON stores.key = balance_entries.store_key
  CROSS JOIN visible_accounts
    ON visible_accounts.key = stores.account_key
    AND (?4 IS NULL OR visible_accounts.id = ?4)
  WHERE balance_entries.id >= printf(
    'sealed:%08x', (SELECT customers.key FROM customers WHERE customers.id = ?1)
  )
    AND balance_entries.id < printf(
      'sealed:%08x', (SELECT customers.key FROM customers WHERE customers.id = ?1) + 1
    )
    AND NOT EXISTS (
      SELECT *
      FROM balance_entries INDEXED BY balance_entries_by_customer
      WHERE balance_entries.customer_key = (
        SELECT customers.key
        FROM customers
        WHERE customers.id = ?1
      )
        AND balance_entries.id NOT GLOB 'sealed:*'
        AND (balance_entries.created_at, balance_entries.id) < (?2, ?3)
      ORDER BY balance_entries.created_at DESC, balance_entries.id DESC
      LIMIT 1 OFFSET 999
    )
    AND visible_accounts.id > iif(?2 = '', ?3, '')
  GROUP BY visible_accounts.key
  ORDER BY visible_accounts.id
)
LIMIT 0 + 1 + ?5

--  COMPOUND QUERY
--    LEFT-MOST SUBQUERY
--      CO-ROUTINE balance_entries
--        SEARCH balance_entries USING INDEX balance_entries_by_customer (customer_key=? AND (created_at,id)<(?,?))
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      SCAN balance_entries
--      SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--    UNION ALL
--      CO-ROUTINE balance_entries
--        SEARCH balance_entries USING INDEX balance_entries_by_customer (customer_key=? AND (created_at,id)<(?,?))
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      SCAN balance_entries
--    UNION ALL
--      CO-ROUTINE (subquery)
--        SEARCH balance_entries USING PRIMARY KEY (id>? AND id<?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--        SCALAR SUBQUERY
--          SEARCH balance_entries USING INDEX balance_entries_by_customer (customer_key=? AND (created_at,id)<(?,?))
--          SCALAR SUBQUERY
--            SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--        SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--        USE TEMP B-TREE FOR GROUP BY
--        USE TEMP B-TREE FOR ORDER BY
--      SCAN (subquery)
