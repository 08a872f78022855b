WITH RECURSIVE strict AS MATERIALIZED (
  SELECT store_words.rowid AS key
  FROM store_words
  CROSS JOIN stores ON stores.key = store_words.rowid
  WHERE store_words MATCH ?
    AND NOT EXISTS (
      SELECT 1
      FROM accounts INDEXED BY accounts_deleted
      WHERE accounts.deleted = 1 AND accounts.key = stores.account_key
    )
  ORDER BY store_words.rowid
  LIMIT 0 + ?
),
lenient AS MATERIALIZED (
  SELECT store_words.rowid AS key
  FROM store_words
  CROSS JOIN stores ON stores.key = store_words.rowid
  WHERE store_words MATCH ?
    AND NOT EXISTS (
      SELECT 1
      FROM accounts INDEXED BY accounts_deleted
      WHERE accounts.deleted = 1 AND accounts.key = stores.account_key
    )
  ORDER BY store_words.rowid
  LIMIT iif((SELECT count(*) FROM strict) < 20, 2000, 0)
),
found(rank, key, forgiven) AS MATERIALIZED (
  SELECT json_array_length(forgiven) AS rank, key, forgiven
  FROM (
    SELECT candidate.key,
      (
        SELECT json_group_array(value)
        FROM (
          SELECT value
          FROM json_each(?)
          WHERE instr(
            ' ' || (
              stores.words || ' '
              || (SELECT accounts.words FROM accounts WHERE accounts.key = stores.account_key)
            ),
            ' ' || value
          ) = 0
        )
      ) AS forgiven
    FROM (SELECT key FROM strict UNION SELECT key FROM lenient) AS candidate
    CROSS JOIN stores ON stores.key = candidate.key
  )
  ORDER BY rank, key
  LIMIT 0 + ?
),
listed(entries) AS MATERIALIZED (
  SELECT json_group_array(json_array(key, forgiven))
  FROM (SELECT * FROM found ORDER BY rank, key)
),
step(
  number, entries_left, entry, sent_bytes, shared_bytes, keys, record, latitude, longitude,
  forgiven, account_key, account
) AS (
  SELECT 0, json_array_length(entries), entries -> 0, 0, 0, '', NULL, NULL, NULL, NULL, NULL, NULL
  FROM listed
  UNION ALL
  SELECT step.number + 1,
    step.entries_left - 1,
    (SELECT entries FROM listed) -> (step.number + 1),
    step.sent_bytes + step.shared_bytes + coalesce(octet_length(step.record), 0) + coalesce(octet_length(step.account), 0),
    iif(
      instr(step.keys, 'k' || accounts.key || ':') = 0, 0,
      CAST(
        substr(
          step.keys,
          instr(step.keys, 'k' || accounts.key || ':') + length('k' || accounts.key || ':'), 9
        ) AS INTEGER
      )
    ),
    step.keys || iif(
      instr(step.keys, 'k' || accounts.key || ':') = 0,
      'k' || accounts.key || ':' || octet_length(accounts.fields) || ',', ''
    ),
    json_object(
      'id', stores.id, 'account_id', accounts.id, 'name', stores.name, 'store_image',
      stores.store_image, 'address_line_1', stores.address_line_1, 'address_line_2',
      stores.address_line_2, 'city', stores.city, 'state', stores.state, 'zip', stores.zip, 'phone',
      stores.phone
    ) AS record,
    stores.latitude AS latitude,
    stores.longitude AS longitude,
    iif(
      (step.entry ->> 1) IS NULL, NULL,
      json_object(
        'forgiven', json((step.entry ->> 1)), 'words', stores.words || ' ' || accounts.words
      )
    ) AS forgiven,
    stores.account_key AS account_key,
    iif(
      instr(step.keys, 'k' || accounts.key || ':') = 0,
      '{"agreement_type":' || coalesce(accounts.agreement_type, 'null') || ',' || substr(accounts.fields, 2),
      NULL
    ) AS account
  FROM step
  CROSS JOIN stores ON stores.key = (step.entry ->> 0)
  CROSS JOIN accounts ON accounts.key = stores.account_key
  WHERE step.entries_left > 0
    AND step.sent_bytes + step.shared_bytes + coalesce(octet_length(step.record), 0) + coalesce(octet_length(step.account), 0) < 600000
)
SELECT record, latitude, longitude, forgiven, account_key, account, entries_left
FROM step
WHERE number > 0

--  CO-ROUTINE step
--    SETUP
--      MATERIALIZE listed
--        CO-ROUTINE (subquery)
--          MATERIALIZE found
--            CO-ROUTINE candidate
--              MERGE (UNION)
--                LEFT
--                  MATERIALIZE strict
--                    SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                  SCAN strict
--                  USE TEMP B-TREE FOR ORDER BY
--                RIGHT
--                  MATERIALIZE lenient
--                    SCALAR SUBQUERY
--                      SCAN strict
--                    SCAN store_words VIRTUAL TABLE INDEX 64:M1
--                    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--                    CORRELATED SCALAR SUBQUERY
--                      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                  SCAN lenient
--                  USE TEMP B-TREE FOR ORDER BY
--            SCAN candidate
--            SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--            CORRELATED SCALAR SUBQUERY
--              SCAN json_each VIRTUAL TABLE INDEX 1:
--              CORRELATED SCALAR SUBQUERY
--                SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--            CORRELATED SCALAR SUBQUERY
--              SCAN json_each VIRTUAL TABLE INDEX 1:
--              CORRELATED SCALAR SUBQUERY
--                SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--            USE TEMP B-TREE FOR ORDER BY
--          SCAN found
--        SCAN (subquery)
--      SCAN listed
--    RECURSIVE STEP
--      SCAN step
--      SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      SCALAR SUBQUERY
--        SCAN listed
--  SCAN step
