WITH seen AS MATERIALIZED (
  SELECT (
    SELECT visible_customers.key AS key
    FROM visible_customers
    WHERE visible_customers.id = ?
  ) AS key,
    1 AS is_self,
    -1 AS friend_status
),
joined AS MATERIALIZED (
  SELECT DISTINCT seen.key, joined_stores.account_key AS account_key
  FROM seen
  CROSS JOIN joined_stores ON joined_stores.customer_key = seen.key
),
running AS MATERIALIZED (
  SELECT account_key,
    (
      SELECT count(*)
      FROM running_campaigns
      WHERE running_campaigns.account_key = joined_account.account_key
    ) AS campaigns
  FROM (SELECT DISTINCT account_key FROM joined) AS joined_account
),
counted AS MATERIALIZED (
  SELECT joined.key, sum(running.campaigns) AS campaigns
  FROM joined
  CROSS JOIN running ON running.account_key = joined.account_key
  GROUP BY joined.key
)
SELECT json_object(
  'id', visible_customers.id, 'first_name', visible_customers.first_name, 'last_name',
  visible_customers.last_name, 'customer_description', visible_customers.customer_description,
  'avatar', visible_customers.avatar, 'scan_id',
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.scan_id, ''), 'date_of_birth',
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.date_of_birth, NULL),
  'address_line_1',
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.address_line_1, ''),
  'address_line_2',
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.address_line_2, ''), 'city',
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.city, ''), 'state',
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.state, ''), 'zip',
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.zip, ''), 'friend_status',
  seen.friend_status, 'stores_count', visible_customers.stores_joined, 'campaigns_total',
  coalesce(counted.campaigns, 0), 'campaigns_registered',
  (
    SELECT count(*)
    FROM running_registrations
    CROSS JOIN joined
      ON joined.key = seen.key
      AND joined.account_key = running_registrations.account_key
    WHERE running_registrations.customer_key = seen.key
  )
) AS record,
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.balance / 100.0, 0) AS balance
FROM seen
CROSS JOIN visible_customers ON visible_customers.key = seen.key
LEFT JOIN counted ON counted.key = seen.key

--  MATERIALIZE seen
--    SCAN CONSTANT ROW
--    SCALAR SUBQUERY
--      SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--  MATERIALIZE counted
--    MATERIALIZE joined
--      SCAN seen
--      SEARCH memberships USING COVERING INDEX memberships_by_customer (customer_key=? AND joined=?)
--      SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--      USE TEMP B-TREE FOR DISTINCT
--    MATERIALIZE running
--      CO-ROUTINE joined_account
--        SCAN joined
--        USE TEMP B-TREE FOR DISTINCT
--      SCAN joined_account
--      CORRELATED SCALAR SUBQUERY
--        SEARCH campaigns USING COVERING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=?)
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--    SCAN joined
--    BLOOM FILTER ON running (account_key=?)
--    SEARCH running USING AUTOMATIC COVERING INDEX (account_key=?)
--    USE TEMP B-TREE FOR GROUP BY
--  SCAN seen
--  SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--  SCAN counted LEFT-JOIN
--  SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      COMPOUND QUERY
--        LEFT-MOST SUBQUERY
--          SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--        UNION ALL
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--          SEARCH stores USING COVERING INDEX stores_by_position (account_key=?)
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE hidden_stores
--      COMPOUND QUERY
--        LEFT-MOST SUBQUERY
--          SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--        UNION ALL
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--          SEARCH stores USING COVERING INDEX stores_by_position (account_key=?)
--    SCAN hidden_stores
--    SEARCH memberships USING COVERING INDEX memberships_by_customer (customer_key=? AND joined=? AND store_key=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH memberships USING COVERING INDEX memberships_by_customer (customer_key=? AND joined=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--    SCALAR SUBQUERY
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH registrations USING PRIMARY KEY (customer_key=?)
--    SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    BLOOM FILTER ON joined (key=? AND account_key=?)
--    SEARCH joined USING AUTOMATIC COVERING INDEX (key=? AND account_key=?)
