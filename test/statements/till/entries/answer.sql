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
    campaigns.key IS NULL
    OR (
      ?1 IS NULL
      OR EXISTS (
        SELECT 1
        FROM accounts
        WHERE accounts.key = campaigns.account_key
          AND accounts.id IN (SELECT value FROM json_each(?1))
      )
    )
  ) AS is_covered,
    visible_stores.key IS NOT NULL AS has_store,
    customers.key IS NOT NULL AS has_customer,
    ?2 IS NULL OR campaigns.key IS NOT NULL AS has_campaign,
    campaigns.key IS NULL OR campaigns.account_key = stores.account_key AS has_own_campaign,
    coalesce(?3, (SELECT now FROM clock)) >= program_state.horizon AS is_kept,
    coalesce(?3, (SELECT now FROM clock)) <= (SELECT datetime(now, ?4) FROM clock) AS has_happened,
    ?5 IS NULL OR coalesce(customer_accounts.balance, 0) + ?6 >= ?5 AS balance_suffices,
    coalesce(customer_accounts.balance, 0) AS balance,
    balance_entries.id AS id,
    (
      SELECT named.id
      FROM customers AS named
      WHERE named.key = balance_entries.customer_key
    ) AS customer_id,
    (SELECT named.id FROM stores AS named WHERE named.key = balance_entries.store_key) AS store_id,
    balance_entries.amount AS amount,
    (
      SELECT named.id
      FROM campaigns AS named
      WHERE named.key = balance_entries.campaign_key
    ) AS campaign_id,
    balance_entries.description AS description,
    balance_entries.created_at AS created_at,
    (
      ?1 IS NULL
      OR EXISTS (
        SELECT 1
        FROM accounts
        WHERE accounts.key = (
          SELECT place.account_key
          FROM stores AS place
          WHERE place.key = balance_entries.store_key
        )
          AND accounts.id IN (SELECT value FROM json_each(?1))
      )
    ) AS is_stored_covered
  FROM program_state
  LEFT JOIN stores ON stores.id = ?7
  LEFT JOIN visible_stores ON visible_stores.key = stores.key
  LEFT JOIN customers ON customers.id = ?8 AND customers.erased = 0
  LEFT JOIN campaigns ON campaigns.id = ?2
  LEFT JOIN balance_entries ON balance_entries.id = ?9
  LEFT JOIN customer_accounts
    ON customer_accounts.customer_key = coalesce(balance_entries.customer_key, customers.key)
    AND customer_accounts.account_key = stores.account_key
)
SELECT asked.*,
  (
    SELECT program_state.version
    FROM program_state
    WHERE program_state.act = ?10
  ) IS NOT NULL AS is_new
FROM asked

--  SCAN program_state
--  SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?) LEFT-JOIN
--  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?) LEFT-JOIN
--  SEARCH campaigns USING INDEX sqlite_autoindex_campaigns_1 (id=?) LEFT-JOIN
--  SEARCH balance_entries USING PRIMARY KEY (id=?) LEFT-JOIN
--  SEARCH customer_accounts USING PRIMARY KEY (customer_key=? AND account_key=?) LEFT-JOIN
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
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH named USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH named USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH named USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH place USING INTEGER PRIMARY KEY (rowid=?)
--    LIST SUBQUERY
--      SCAN json_each VIRTUAL TABLE INDEX 1:
--      CREATE BLOOM FILTER
--  SCALAR SUBQUERY
--    SCAN program_state
