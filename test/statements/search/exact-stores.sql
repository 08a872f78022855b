WITH records AS (
  WITH whole(key) AS MATERIALIZED (
    SELECT candidate.key
    FROM (
      SELECT rowid AS key
      FROM store_words
      WHERE store_words MATCH ?
      ORDER BY rowid
      LIMIT 0 + ?
    ) AS candidate
    CROSS JOIN stores ON stores.key = candidate.key
    WHERE NOT EXISTS (
      SELECT 1
      FROM accounts INDEXED BY accounts_deleted
      WHERE accounts.deleted = 1 AND accounts.key = stores.account_key
    )
    LIMIT 20
  ),
  others(key) AS MATERIALIZED (
    SELECT candidate.key
    FROM (
      SELECT rowid AS key
      FROM store_words
      WHERE store_words MATCH ?
      ORDER BY rowid
      LIMIT 0 + ?
    ) AS candidate
    CROSS JOIN stores ON stores.key = candidate.key
    WHERE NOT EXISTS (
      SELECT 1
      FROM accounts INDEXED BY accounts_deleted
      WHERE accounts.deleted = 1 AND accounts.key = stores.account_key
    )
      AND candidate.key NOT IN (SELECT key FROM whole)
    LIMIT 20 - (SELECT count(*) FROM whole)
  ),
  found(rank, key, forgiven) AS (
    SELECT 0, key, NULL
    FROM whole
    UNION ALL
    SELECT 1, key, NULL
    FROM others
  )
  SELECT record, latitude, longitude, forgiven, account_key, iif(is_first, account, NULL) AS account
  FROM (
    SELECT *
    FROM (
      SELECT *,
        sum(
          coalesce(octet_length(record), 0) + coalesce(octet_length(account), 0)
        ) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS bytes_before
      FROM (
        SELECT *, row_number() OVER (PARTITION BY account_key ORDER BY rank, key) = 1 AS is_first
        FROM (
          SELECT found.rank,
            found.key,
            json_object(
              'id', stores.id, 'account_id', accounts.id, 'name', stores.name, 'store_image',
              stores.store_image, 'address_line_1', stores.address_line_1, 'address_line_2',
              stores.address_line_2, 'city', stores.city, 'state', stores.state, 'zip', stores.zip,
              'phone', stores.phone
            ) AS record,
            stores.latitude AS latitude,
            stores.longitude AS longitude,
            found.forgiven AS forgiven,
            stores.account_key AS account_key,
            '{"agreement_type":' || coalesce(accounts.agreement_type, 'null') || ',' || substr(accounts.fields, 2) AS account
          FROM found
          CROSS JOIN stores ON stores.key = found.key
          CROSS JOIN accounts ON accounts.key = stores.account_key
        )
        ORDER BY rank, key
      ) AS listed
    )
    WHERE coalesce(bytes_before, 0) < 600000
  )
  LIMIT 0 + ?
)
SELECT 'stores' AS list,
  '[]' AS pages,
  EXISTS (SELECT 1 FROM removed_accounts) AS hides_more,
  records.*
FROM (SELECT 1)
LEFT JOIN records

--  CO-ROUTINE (subquery)
--    SCAN CONSTANT ROW
--  MATERIALIZE records
--    CO-ROUTINE (subquery)
--      CO-ROUTINE (subquery)
--        CO-ROUTINE listed
--          CO-ROUTINE (subquery)
--            MERGE (UNION ALL)
--              LEFT
--                MATERIALIZE whole
--                  CO-ROUTINE candidate
--                    SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                  SCAN candidate
--                  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                SCAN whole
--                SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--                USE TEMP B-TREE FOR ORDER BY
--              RIGHT
--                MATERIALIZE others
--                  CO-ROUTINE candidate
--                    SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                  SCALAR SUBQUERY
--                    SCAN whole
--                  SCAN candidate
--                  LIST SUBQUERY
--                    SCAN whole
--                    CREATE BLOOM FILTER
--                  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                SCAN others
--                SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--                USE TEMP B-TREE FOR ORDER BY
--          SCAN (subquery)
--          USE TEMP B-TREE FOR ORDER BY
--        SCAN listed
--      SCAN (subquery)
--    SCAN (subquery)
--  SCAN (subquery)
--  SCAN records LEFT-JOIN
--  SCALAR SUBQUERY
--    SCAN removed_accounts
