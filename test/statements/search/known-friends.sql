WITH found(rank, key, forgiven) AS MATERIALIZED (
  SELECT iif(
    NOT EXISTS (
      SELECT key
      FROM json_each(?1) AS asked
      WHERE instr(' ' || customers.words || ' ', (asked.value ->> 0)) = 0
        AND (
          (asked.value ->> 1) IS NULL
          OR NOT EXISTS (
            SELECT 1
            FROM json_each((asked.value ->> 1)) AS other
            WHERE instr(' ' || customers.words || ' ', other.value)
          )
        )
    ),
    0, 1
  ),
    customers.key,
    NULL
  FROM (
    SELECT (SELECT customers.key FROM customers WHERE customers.id = ?2) AS key
    UNION ALL
    SELECT friendships.high_key
    FROM friendships
    WHERE friendships.low_key = (SELECT customers.key FROM customers WHERE customers.id = ?2)
      AND friendships.status = 1
    UNION ALL
    SELECT friendships.low_key
    FROM friendships
    WHERE friendships.high_key = (SELECT customers.key FROM customers WHERE customers.id = ?2)
      AND friendships.status = 1
  ) AS known
  CROSS JOIN customers ON customers.key = known.key
  WHERE NOT EXISTS (
    SELECT key
    FROM json_each(?3) AS asked
    WHERE instr(' ' || customers.words || ' ', (asked.value ->> 0)) = 0
      AND (
        (asked.value ->> 1) IS NULL
        OR NOT EXISTS (
          SELECT 1
          FROM json_each((asked.value ->> 1)) AS other
          WHERE instr(' ' || customers.words || ' ', other.value)
        )
      )
  )
    AND NOT EXISTS (
      SELECT 1
      FROM blocks
      WHERE blocks.customer_key = known.key
        AND blocks.blocked_key = (SELECT customers.key FROM customers WHERE customers.id = ?2)
    )
  ORDER BY 1, 2
  LIMIT 0 + ?4
),
seen AS MATERIALIZED (
  SELECT found.rank,
    found.key,
    found.forgiven,
    found.key IS caller.key AS is_self,
    coalesce(
      (
        SELECT friendships.status
        FROM friendships
        WHERE friendships.low_key = min(caller.key, found.key)
          AND friendships.high_key = max(caller.key, found.key)
      ),
      -1
    ) AS friend_status
  FROM found
  CROSS JOIN (SELECT (SELECT customers.key FROM customers WHERE customers.id = ?2) AS key) AS caller
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
  campaigns_of_customers.campaigns_total, 'campaigns_registered',
  campaigns_of_customers.campaigns_registered
) AS record,
  iif(seen.is_self OR seen.friend_status = 1, visible_customers.balance / 100.0, 0) AS balance,
  seen.forgiven AS forgiven
FROM seen
CROSS JOIN visible_customers ON visible_customers.key = seen.key
CROSS JOIN campaigns_of_customers ON campaigns_of_customers.key = seen.key
ORDER BY seen.rank, seen.key

--  MATERIALIZE seen
--    MATERIALIZE found
--      CO-ROUTINE known
--        COMPOUND QUERY
--          LEFT-MOST SUBQUERY
--            SCAN CONSTANT ROW
--            SCALAR SUBQUERY
--              SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--          UNION ALL
--            SEARCH friendships USING PRIMARY KEY (low_key=?)
--            SCALAR SUBQUERY
--              SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--          UNION ALL
--            SEARCH friendships USING INDEX friendships_by_high_key (high_key=?)
--            SCALAR SUBQUERY
--              SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      SCAN known
--      CORRELATED SCALAR SUBQUERY
--        SEARCH blocks USING PRIMARY KEY (customer_key=? AND blocked_key=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--      CORRELATED SCALAR SUBQUERY
--        SCAN asked VIRTUAL TABLE INDEX 1:
--        CORRELATED SCALAR SUBQUERY
--          SCAN other VIRTUAL TABLE INDEX 1:
--      CORRELATED SCALAR SUBQUERY
--        SCAN asked VIRTUAL TABLE INDEX 1:
--        CORRELATED SCALAR SUBQUERY
--          SCAN other VIRTUAL TABLE INDEX 1:
--      USE TEMP B-TREE FOR ORDER BY
--    MATERIALIZE caller
--      SCAN CONSTANT ROW
--      SCALAR SUBQUERY
--        SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--    SCAN found
--    SCAN caller
--    CORRELATED SCALAR SUBQUERY
--      SEARCH friendships USING PRIMARY KEY (low_key=? AND high_key=?)
--  SCAN seen
--  SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--  SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--    SEARCH memberships USING PRIMARY KEY (store_key=? AND member_key=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--    SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--    SEARCH customer_accounts USING PRIMARY KEY (customer_key=? AND account_key=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH customer_accounts USING PRIMARY KEY (customer_key=?)
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH customer_accounts USING PRIMARY KEY (customer_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--      SEARCH campaigns USING COVERING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=?)
--      SCALAR SUBQUERY
--        CO-ROUTINE clock
--          SCAN CONSTANT ROW
--        SCAN clock
--      SCALAR SUBQUERY
--        CO-ROUTINE clock
--          SCAN CONSTANT ROW
--        SCAN clock
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH campaigns USING COVERING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=?)
--      CORRELATED LIST SUBQUERY
--        CO-ROUTINE joined_first
--          SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        SCAN joined_first
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--      SCALAR SUBQUERY
--        CO-ROUTINE clock
--          SCAN CONSTANT ROW
--        SCAN clock
--      SCALAR SUBQUERY
--        CO-ROUTINE clock
--          SCAN CONSTANT ROW
--        SCAN clock
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH registrations USING PRIMARY KEY (customer_key=?)
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE registered_first
--      SEARCH registrations USING PRIMARY KEY (customer_key=?)
--    SCAN registered_first
--    SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    SCALAR SUBQUERY
--      CO-ROUTINE clock
--        SCAN CONSTANT ROW
--      SCAN clock
--    CORRELATED SCALAR SUBQUERY
--      SEARCH customer_accounts USING PRIMARY KEY (customer_key=? AND account_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      CO-ROUTINE (subquery)
--        COMPOUND QUERY
--          LEFT-MOST SUBQUERY
--            CO-ROUTINE registered_first
--              SEARCH registrations USING PRIMARY KEY (customer_key=?)
--            SCAN registered_first
--            SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--            SCALAR SUBQUERY
--              CO-ROUTINE clock
--                SCAN CONSTANT ROW
--              SCAN clock
--            SCALAR SUBQUERY
--              CO-ROUTINE clock
--                SCAN CONSTANT ROW
--              SCAN clock
--          UNION ALL
--            CO-ROUTINE (subquery)
--              CO-ROUTINE joined_first
--                SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--              SCAN joined_first
--              SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--              CORRELATED SCALAR SUBQUERY
--                SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--            SCAN (subquery)
--      SCAN (subquery)
--      USE TEMP B-TREE FOR GROUP BY
--    SCAN (subquery)
--  USE TEMP B-TREE FOR ORDER BY
