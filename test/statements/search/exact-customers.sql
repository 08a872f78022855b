WITH segment(id) AS MATERIALIZED (
  SELECT min(segid)
  FROM customer_words_idx
  UNION ALL
  SELECT (SELECT min(segid) FROM customer_words_idx WHERE segid > id)
  FROM segment
  WHERE id IS NOT NULL
),
list(position, first, last, pages) AS MATERIALIZED (
  SELECT position,
    first,
    last,
    weight * (
      SELECT coalesce(
        sum(
          coalesce(
            (
              SELECT pgno
              FROM customer_words_idx
              WHERE segid = segment.id AND term > CAST(last AS BLOB)
              ORDER BY term
              LIMIT 1
            ) / 2,
            (
              SELECT max(id) & 2147483647
              FROM customer_words_data
              WHERE id < (segment.id << 37) + 2147483648
            ) + 1
          ) - 1 - (
            SELECT pgno
            FROM customer_words_idx
            WHERE segid = segment.id AND term <= CAST(first AS BLOB)
            ORDER BY term DESC
            LIMIT 1
          ) / 2
        ),
        0
      )
      FROM segment
      WHERE id IS NOT NULL
    )
  FROM (
    SELECT key AS position,
      rtrim(value, '*') AS first,
      replace(value, '*', char(0x10ffff)) AS last,
      iif(value GLOB '0*[*]', 8, 1) AS weight
    FROM json_each(?1)
  )
),
lengths(position, pages) AS MATERIALIZED (
  SELECT position,
    iif(
      pages > 16 AND NOT EXISTS (
        SELECT 1
        FROM customer_words_terms
        WHERE term >= substr(first, 2) AND term <= substr(last, 2)
        LIMIT 1 OFFSET 1000
      ),
      1, pages
    )
  FROM list
),
short(is_short) AS MATERIALIZED (
  SELECT (SELECT sum(pages) FROM list) <= ?2 OR (SELECT sum(pages) FROM lengths) <= ?2
),
whole(key) AS MATERIALIZED (
  SELECT candidate.key
  FROM (
    SELECT rowid AS key
    FROM customer_words
    WHERE customer_words MATCH ?3
    ORDER BY rowid
    LIMIT 0 + ?4
  ) AS candidate
  WHERE NOT EXISTS (
    SELECT 1
    FROM blocks
    WHERE blocks.customer_key = candidate.key
      AND blocks.blocked_key = (SELECT customers.key FROM customers WHERE customers.id = ?5)
  )
  LIMIT iif(20 > 0 AND (SELECT is_short FROM short), 20, 0)
),
others(key) AS MATERIALIZED (
  SELECT candidate.key
  FROM (
    SELECT rowid AS key
    FROM customer_words
    WHERE customer_words MATCH ?6
    ORDER BY rowid
    LIMIT 0 + ?4
  ) AS candidate
  WHERE NOT EXISTS (
    SELECT 1
    FROM blocks
    WHERE blocks.customer_key = candidate.key
      AND blocks.blocked_key = (SELECT customers.key FROM customers WHERE customers.id = ?5)
  )
    AND candidate.key NOT IN (SELECT key FROM whole)
  LIMIT iif(
    20 - (SELECT count(*) FROM whole) > 0 AND (SELECT is_short FROM short),
    20 - (SELECT count(*) FROM whole), 0
  )
),
records AS (
  WITH found(rank, key, forgiven) AS (
    SELECT 0, key, NULL
    FROM whole
    UNION ALL
    SELECT 1, key, NULL
    FROM others
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
    CROSS JOIN (
      SELECT (SELECT customers.key FROM customers WHERE customers.id = ?5) AS key
    ) AS caller
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
  LIMIT 0 + ?7
)
SELECT iif(
  (SELECT count(*) FROM whole) = 20 OR (SELECT is_short FROM short), '[]',
  (SELECT json_group_array(pages ORDER BY position) FROM lengths)
) AS pages,
  EXISTS (
    SELECT 1
    FROM blocks
    WHERE blocks.blocked_key = (SELECT customers.key FROM customers WHERE customers.id = ?5)
    LIMIT 0 + ?8 OFFSET 0 + ?9
  ) AS hides_more,
  records.*
FROM (SELECT 1)
LEFT JOIN records

--  CO-ROUTINE (subquery)
--    SCAN CONSTANT ROW
--  MATERIALIZE records
--    MATERIALIZE seen
--      COMPOUND QUERY
--        LEFT-MOST SUBQUERY
--          MATERIALIZE whole
--            CO-ROUTINE candidate
--              SCAN customer_words VIRTUAL TABLE INDEX 64:M1
--            SCALAR SUBQUERY
--              MATERIALIZE short
--                SCAN CONSTANT ROW
--                SCALAR SUBQUERY
--                  MATERIALIZE list
--                    SCAN json_each VIRTUAL TABLE INDEX 1:
--                    CORRELATED SCALAR SUBQUERY
--                      MATERIALIZE segment
--                        SETUP
--                          SEARCH customer_words_idx USING PRIMARY KEY
--                        RECURSIVE STEP
--                          SCAN segment
--                          CORRELATED SCALAR SUBQUERY
--                            SEARCH customer_words_idx USING PRIMARY KEY (segid>?)
--                      SCAN segment
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH customer_words_idx USING PRIMARY KEY (segid=? AND term>?)
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH customer_words_data USING INTEGER PRIMARY KEY (rowid<?)
--                      CORRELATED SCALAR SUBQUERY
--                        SEARCH customer_words_idx USING PRIMARY KEY (segid=? AND term<?)
--                  SCAN list
--                SCALAR SUBQUERY
--                  MATERIALIZE lengths
--                    SCAN list
--                    CORRELATED SCALAR SUBQUERY
--                      SCAN customer_words_terms VIRTUAL TABLE INDEX 1537:
--                  SCAN lengths
--              SCAN short
--            SCAN candidate
--            CORRELATED SCALAR SUBQUERY
--              SEARCH blocks USING PRIMARY KEY (customer_key=? AND blocked_key=?)
--              SCALAR SUBQUERY
--                SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--          MATERIALIZE caller
--            SCAN CONSTANT ROW
--            SCALAR SUBQUERY
--              SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--          SCAN whole
--          SCAN caller
--          CORRELATED SCALAR SUBQUERY
--            SEARCH friendships USING PRIMARY KEY (low_key=? AND high_key=?)
--        UNION ALL
--          MATERIALIZE others
--            CO-ROUTINE candidate
--              SCAN customer_words VIRTUAL TABLE INDEX 64:M1
--            SCALAR SUBQUERY
--              SCAN whole
--            SCALAR SUBQUERY
--              SCAN short
--            SCALAR SUBQUERY
--              SCAN whole
--            SCAN candidate
--            CORRELATED SCALAR SUBQUERY
--              SEARCH blocks USING PRIMARY KEY (customer_key=? AND blocked_key=?)
--              SCALAR SUBQUERY
--                SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--            LIST SUBQUERY
--              SCAN whole
--              CREATE BLOOM FILTER
--          MATERIALIZE caller
--            SCAN CONSTANT ROW
--            SCALAR SUBQUERY
--              SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--          SCAN others
--          SCAN caller
--          CORRELATED SCALAR SUBQUERY
--            SEARCH friendships USING PRIMARY KEY (low_key=? AND high_key=?)
--    SCAN seen
--    SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--    SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE (subquery)
--        SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--      SCAN (subquery)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--      SEARCH memberships USING PRIMARY KEY (store_key=? AND member_key=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--      SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--    SCALAR SUBQUERY
--      CO-ROUTINE (subquery)
--        SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--      SCAN (subquery)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--      SEARCH customer_accounts USING PRIMARY KEY (customer_key=? AND account_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH customer_accounts USING PRIMARY KEY (customer_key=?)
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--        SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      CO-ROUTINE (subquery)
--        SEARCH customer_accounts USING PRIMARY KEY (customer_key=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--          SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--        SEARCH campaigns USING COVERING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=?)
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--      SCAN (subquery)
--    CORRELATED SCALAR SUBQUERY
--      CO-ROUTINE (subquery)
--        SEARCH campaigns USING COVERING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=?)
--        CORRELATED LIST SUBQUERY
--          CO-ROUTINE joined_first
--            SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--          SCAN joined_first
--          SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--          CORRELATED SCALAR SUBQUERY
--            SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--      SCAN (subquery)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH registrations USING PRIMARY KEY (customer_key=?)
--    CORRELATED SCALAR SUBQUERY
--      CO-ROUTINE registered_first
--        SEARCH registrations USING PRIMARY KEY (customer_key=?)
--      SCAN registered_first
--      SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--      SCALAR SUBQUERY
--        CO-ROUTINE clock
--          SCAN CONSTANT ROW
--        SCAN clock
--      SCALAR SUBQUERY
--        CO-ROUTINE clock
--          SCAN CONSTANT ROW
--        SCAN clock
--      CORRELATED SCALAR SUBQUERY
--        SEARCH customer_accounts USING PRIMARY KEY (customer_key=? AND account_key=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--          SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--        CORRELATED SCALAR SUBQUERY
--          SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      CO-ROUTINE (subquery)
--        CO-ROUTINE (subquery)
--          COMPOUND QUERY
--            LEFT-MOST SUBQUERY
--              CO-ROUTINE registered_first
--                SEARCH registrations USING PRIMARY KEY (customer_key=?)
--              SCAN registered_first
--              SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--              SCALAR SUBQUERY
--                CO-ROUTINE clock
--                  SCAN CONSTANT ROW
--                SCAN clock
--              SCALAR SUBQUERY
--                CO-ROUTINE clock
--                  SCAN CONSTANT ROW
--                SCAN clock
--            UNION ALL
--              CO-ROUTINE (subquery)
--                CO-ROUTINE joined_first
--                  SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--                SCAN joined_first
--                SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--              SCAN (subquery)
--        SCAN (subquery)
--        USE TEMP B-TREE FOR GROUP BY
--      SCAN (subquery)
--    USE TEMP B-TREE FOR ORDER BY
--  SCAN (subquery)
--  SCAN records LEFT-JOIN
--  SCALAR SUBQUERY
--    SCAN whole
--  SCALAR SUBQUERY
--    SCAN short
--  SCALAR SUBQUERY
--    USE TEMP B-TREE FOR json_group_array(ORDER BY)
--    SCAN lengths
--  SCALAR SUBQUERY
--    SEARCH blocks USING COVERING INDEX blocks_by_blocked_key (blocked_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
