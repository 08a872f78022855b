WITH strict AS MATERIALIZED (
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
lenient AS MATERIALIZED (
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
  LIMIT iif((SELECT count(*) FROM strict) < 20, 2000, 0)
),
found(rank, key, forgiven) AS MATERIALIZED (
  SELECT json_array_length(forgiven) AS rank, key, forgiven
  FROM (
    SELECT candidate.key,
      (
        SELECT json_group_array(key)
        FROM (
          SELECT key
          FROM json_each(?4) AS asked
          WHERE instr(
            ' ' || (
              stores.words || ' '
              || (SELECT accounts.words FROM accounts WHERE accounts.key = stores.account_key)
            ) || ' ',
            (asked.value ->> 0)
          ) = 0
            AND (
              (asked.value ->> 1) IS NULL
              OR NOT EXISTS (
                SELECT 1
                FROM json_each((asked.value ->> 1)) AS other
                WHERE instr(
                  ' ' || (
                    stores.words || ' '
                    || (SELECT accounts.words FROM accounts WHERE accounts.key = stores.account_key)
                  ) || ' ',
                  other.value
                )
              )
            )
        )
      ) AS forgiven
    FROM (SELECT key FROM strict UNION SELECT key FROM lenient) AS candidate
    CROSS JOIN stores ON stores.key = candidate.key
  )
  ORDER BY rank, key
  LIMIT 0 + ?5
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

--  CO-ROUTINE listed
--    CO-ROUTINE (subquery)
--      CO-ROUTINE (subquery)
--        MATERIALIZE found
--          CO-ROUTINE candidate
--            MERGE (UNION)
--              LEFT
--                MATERIALIZE strict
--                  CO-ROUTINE candidate
--                    SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                  SCAN candidate
--                  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                SCAN strict
--                USE TEMP B-TREE FOR ORDER BY
--              RIGHT
--                MATERIALIZE lenient
--                  CO-ROUTINE candidate
--                    SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                  SCALAR SUBQUERY
--                    SCAN strict
--                  SCAN candidate
--                  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                SCAN lenient
--                USE TEMP B-TREE FOR ORDER BY
--          SCAN candidate
--          SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--          CORRELATED SCALAR SUBQUERY
--            SCAN asked VIRTUAL TABLE INDEX 1:
--            CORRELATED SCALAR SUBQUERY
--              SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--            CORRELATED SCALAR SUBQUERY
--              SCAN other VIRTUAL TABLE INDEX 1:
--              CORRELATED SCALAR SUBQUERY
--                SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--          CORRELATED SCALAR SUBQUERY
--            SCAN asked VIRTUAL TABLE INDEX 1:
--            CORRELATED SCALAR SUBQUERY
--              SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--            CORRELATED SCALAR SUBQUERY
--              SCAN other VIRTUAL TABLE INDEX 1:
--              CORRELATED SCALAR SUBQUERY
--                SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--          USE TEMP B-TREE FOR ORDER BY
--        SCAN found
--        SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--        SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      SCAN (subquery)
--    SCAN (subquery)
--  SCAN listed
--  SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--  SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--  USE TEMP B-TREE FOR ORDER BY
