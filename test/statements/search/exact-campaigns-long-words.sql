WITH whole AS MATERIALIZED (
  SELECT campaign_words.rowid AS key
  FROM campaign_words
  CROSS JOIN campaigns ON campaigns.key = campaign_words.rowid
  WHERE campaign_words MATCH ?
    AND NOT EXISTS (
      SELECT 1
      FROM accounts INDEXED BY accounts_deleted
      WHERE accounts.deleted = 1 AND accounts.key = campaigns.account_key
    )
  ORDER BY campaign_words.rowid
  LIMIT 0 + ?
),
others AS MATERIALIZED (
  SELECT campaign_words.rowid AS key
  FROM campaign_words
  CROSS JOIN campaigns ON campaigns.key = campaign_words.rowid
  WHERE campaign_words MATCH iif(
    EXISTS (SELECT 1 FROM campaign_words WHERE campaign_words MATCH ?), ?, '""'
  )
    AND NOT EXISTS (
      SELECT 1
      FROM accounts INDEXED BY accounts_deleted
      WHERE accounts.deleted = 1 AND accounts.key = campaigns.account_key
    )
    AND campaign_words.rowid NOT IN (SELECT key FROM whole)
  ORDER BY campaign_words.rowid
  LIMIT 20 - (SELECT count(*) FROM whole)
),
found(rank, key, forgiven) AS (
  SELECT 0, key, NULL
  FROM whole
  UNION ALL
  SELECT 1, key, NULL
  FROM others
)
SELECT record, details, forgiven, account_key, iif(is_first, account, NULL) AS account
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
            'id', campaigns.id, 'account_id', CAST(accounts.id AS INTEGER), 'name', campaigns.name,
            'campaign_start_date', campaigns.campaign_start_date, 'campaign_end_date',
            campaigns.campaign_end_date, 'campaign_description', campaigns.campaign_description,
            'status', campaigns.status
          ) AS record,
          campaigns.details AS details,
          iif(
            found.forgiven IS NULL, NULL,
            json_object(
              'forgiven', json(found.forgiven), 'words', campaigns.words || ' ' || accounts.words
            )
          ) AS forgiven,
          campaigns.account_key AS account_key,
          '{"agreement_type":' || coalesce(accounts.agreement_type, 'null') || ',' || substr(accounts.fields, 2) AS account
        FROM found
        CROSS JOIN campaigns ON campaigns.key = found.key
        CROSS JOIN accounts ON accounts.key = campaigns.account_key
      )
      ORDER BY rank, key
    ) AS listed
  )
  WHERE coalesce(bytes_before, 0) < 600000
)

--  CO-ROUTINE (subquery)
--    CO-ROUTINE (subquery)
--      CO-ROUTINE listed
--        CO-ROUTINE (subquery)
--          MERGE (UNION ALL)
--            LEFT
--              MATERIALIZE whole
--                SCAN campaign_words VIRTUAL TABLE INDEX 64:M1
--                SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--              SCAN whole
--              SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--              SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--              USE TEMP B-TREE FOR ORDER BY
--            RIGHT
--              MATERIALIZE others
--                SCALAR SUBQUERY
--                  SCAN whole
--                SCAN campaign_words VIRTUAL TABLE INDEX 64:M1
--                SCALAR SUBQUERY
--                  SCAN campaign_words VIRTUAL TABLE INDEX 0:M1
--                LIST SUBQUERY
--                  SCAN whole
--                  CREATE BLOOM FILTER
--                SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--              SCAN others
--              SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--              SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--              USE TEMP B-TREE FOR ORDER BY
--        SCAN (subquery)
--        USE TEMP B-TREE FOR ORDER BY
--      SCAN listed
--    SCAN (subquery)
--  SCAN (subquery)
