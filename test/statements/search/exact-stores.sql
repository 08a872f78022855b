WITH whole(key) AS MATERIALIZED (
  SELECT candidate.key
  FROM (
    SELECT rowid AS key
    FROM store_words
    WHERE store_words MATCH ?1
    ORDER BY rowid
    LIMIT 0 + ?2
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
    WHERE store_words MATCH ?3
    ORDER BY rowid
    LIMIT 0 + ?2
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
records AS (
  WITH found(rank, key, forgiven) AS (
    SELECT 0, key, NULL
    FROM whole
    UNION ALL
    SELECT 1, key, NULL
    FROM others
  )
  SELECT json_object(
    'id', stores.id, 'account_id', accounts.id, 'name', stores.name, 'store_image',
    stores.store_image, 'address_line_1', stores.address_line_1, 'address_line_2',
    stores.address_line_2, 'city', stores.city, 'state', stores.state, 'zip', stores.zip, 'phone',
    stores.phone
  ) AS record,
    stores.latitude AS latitude,
    stores.longitude AS longitude,
    listed.forgiven AS forgiven,
    stores.account_key AS account_key,
    iif(
      account_before IS stores.account_key, NULL,
      '{"agreement_type":' || coalesce(accounts.agreement_type, 'null') || ',' || substr(accounts.fields, 2)
    ) AS account
  FROM (
    SELECT found.*,
      lag(stores.account_key) OVER (ORDER BY found.rank, found.key) AS account_before,
      sum(
        coalesce(octet_length(stores.name), 0) + coalesce(octet_length(stores.store_image), 0) + coalesce(octet_length(stores.address_line_1), 0) + coalesce(octet_length(stores.address_line_2), 0) + coalesce(octet_length(stores.city), 0) + coalesce(octet_length(stores.state), 0) + coalesce(octet_length(stores.zip), 0) + coalesce(octet_length(stores.phone), 0) + coalesce(octet_length(accounts.fields), 0)
      ) OVER (
        ORDER BY found.rank, found.key ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING
      ) AS bytes_before
    FROM found
    CROSS JOIN stores ON stores.key = found.key
    CROSS JOIN accounts ON accounts.key = stores.account_key
  ) AS listed
  CROSS JOIN stores ON stores.key = listed.key
  CROSS JOIN accounts ON accounts.key = stores.account_key
  WHERE coalesce(bytes_before, 0) < 600000
  ORDER BY listed.rank, listed.key
  LIMIT 0 + ?4
)
SELECT '[]' AS pages, EXISTS (SELECT 1 FROM removed_accounts) AS hides_more, records.*
FROM (SELECT 1)
LEFT JOIN records

--  CO-ROUTINE (subquery)
--    SCAN CONSTANT ROW
--  MATERIALIZE records
--    CO-ROUTINE listed
--      CO-ROUTINE (subquery)
--        CO-ROUTINE (subquery)
--          MERGE (UNION ALL)
--            LEFT
--              MATERIALIZE whole
--                CO-ROUTINE candidate
--                  SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                SCAN candidate
--                SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--              SCAN whole
--              SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--              SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--              USE TEMP B-TREE FOR ORDER BY
--            RIGHT
--              MATERIALIZE others
--                CO-ROUTINE candidate
--                  SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                SCALAR SUBQUERY
--                  SCAN whole
--                SCAN candidate
--                LIST SUBQUERY
--                  SCAN whole
--                  CREATE BLOOM FILTER
--                SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--              SCAN others
--              SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--              SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--              USE TEMP B-TREE FOR ORDER BY
--        SCAN (subquery)
--      SCAN (subquery)
--    SCAN listed
--    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--    USE TEMP B-TREE FOR ORDER BY
--  SCAN (subquery)
--  SCAN records LEFT-JOIN
--  SCALAR SUBQUERY
--    SCAN removed_accounts
