WITH strict AS MATERIALIZED (
  SELECT candidate.key
  FROM (
    SELECT rowid AS key
    FROM campaign_words
    WHERE campaign_words MATCH ?1
    ORDER BY rowid
    LIMIT 0 + ?2
  ) AS candidate
  CROSS JOIN campaigns ON campaigns.key = candidate.key
  WHERE NOT EXISTS (
    SELECT 1
    FROM accounts INDEXED BY accounts_deleted
    WHERE accounts.deleted = 1 AND accounts.key = campaigns.account_key
  )
  LIMIT 20
),
lenient AS MATERIALIZED (
  SELECT candidate.key
  FROM (
    SELECT rowid AS key
    FROM campaign_words
    WHERE campaign_words MATCH ?3
    ORDER BY rowid
    LIMIT 0 + ?2
  ) AS candidate
  CROSS JOIN campaigns ON campaigns.key = candidate.key
  WHERE NOT EXISTS (
    SELECT 1
    FROM accounts INDEXED BY accounts_deleted
    WHERE accounts.deleted = 1 AND accounts.key = campaigns.account_key
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
              campaigns.words || ' '
              || (SELECT accounts.words FROM accounts WHERE accounts.key = campaigns.account_key)
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
                    campaigns.words || ' '
                    || (
                      SELECT accounts.words
                      FROM accounts
                      WHERE accounts.key = campaigns.account_key
                    )
                  ) || ' ',
                  other.value
                )
              )
            )
        )
      ) AS forgiven
    FROM (SELECT key FROM strict UNION SELECT key FROM lenient) AS candidate
    CROSS JOIN campaigns ON campaigns.key = candidate.key
  )
  ORDER BY rank, key
  LIMIT 0 + ?5
)
SELECT json_object(
  'id', campaigns.id, 'account_id', CAST(accounts.id AS INTEGER), 'name', campaigns.name,
  'campaign_start_date', campaigns.campaign_start_date, 'campaign_end_date',
  campaigns.campaign_end_date, 'campaign_description', campaigns.campaign_description, 'status',
  campaigns.status
) AS record,
  campaigns.details AS details,
  listed.forgiven AS forgiven,
  campaigns.account_key AS account_key,
  iif(
    account_before IS campaigns.account_key, NULL,
    '{"agreement_type":' || coalesce(accounts.agreement_type, 'null') || ',' || substr(accounts.fields, 2)
  ) AS account
FROM (
  SELECT found.*,
    lag(campaigns.account_key) OVER (ORDER BY found.rank, found.key) AS account_before,
    sum(
      coalesce(octet_length(campaigns.name), 0) + coalesce(octet_length(campaigns.campaign_description), 0) + coalesce(octet_length(campaigns.details), 0) + coalesce(octet_length(accounts.fields), 0)
    ) OVER (
      ORDER BY found.rank, found.key ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING
    ) AS bytes_before
  FROM found
  CROSS JOIN campaigns ON campaigns.key = found.key
  CROSS JOIN accounts ON accounts.key = campaigns.account_key
) AS listed
CROSS JOIN campaigns ON campaigns.key = listed.key
CROSS JOIN accounts ON accounts.key = campaigns.account_key
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
--                    SCAN campaign_words VIRTUAL TABLE INDEX 64:M1
--                  SCAN candidate
--                  SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                SCAN strict
--                USE TEMP B-TREE FOR ORDER BY
--              RIGHT
--                MATERIALIZE lenient
--                  CO-ROUTINE candidate
--                    SCAN campaign_words VIRTUAL TABLE INDEX 64:M1
--                  SCALAR SUBQUERY
--                    SCAN strict
--                  SCAN candidate
--                  SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--                SCAN lenient
--                USE TEMP B-TREE FOR ORDER BY
--          SCAN candidate
--          SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
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
--        SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--        SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      SCAN (subquery)
--    SCAN (subquery)
--  SCAN listed
--  SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--  SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--  USE TEMP B-TREE FOR ORDER BY
