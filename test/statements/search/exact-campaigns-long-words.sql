WITH RECURSIVE whole AS MATERIALIZED (
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
),
listed(entries) AS MATERIALIZED (
  SELECT json_group_array(json_array(key, forgiven))
  FROM (SELECT * FROM found ORDER BY rank, key)
),
step(
  number, entries_left, entry, sent_bytes, shared_bytes, keys, record, details, forgiven,
  account_key, account
) AS (
  SELECT 0, json_array_length(entries), entries -> 0, 0, 0, '', NULL, NULL, NULL, NULL, NULL
  FROM listed
  UNION ALL
  SELECT step.number + 1,
    step.entries_left - 1,
    (SELECT entries FROM listed) -> (step.number + 1),
    step.sent_bytes + step.shared_bytes + coalesce(octet_length(step.record), 0) + coalesce(octet_length(step.details), 0) + coalesce(octet_length(step.account), 0),
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
      'id', campaigns.id, 'account_id', CAST(accounts.id AS INTEGER), 'name', campaigns.name,
      'campaign_start_date', campaigns.campaign_start_date, 'campaign_end_date',
      campaigns.campaign_end_date, 'campaign_description', campaigns.campaign_description, 'status',
      campaigns.status
    ) AS record,
    campaigns.details AS details,
    iif(
      (step.entry ->> 1) IS NULL, NULL,
      json_object(
        'forgiven', json((step.entry ->> 1)), 'words', campaigns.words || ' ' || accounts.words
      )
    ) AS forgiven,
    campaigns.account_key AS account_key,
    iif(
      instr(step.keys, 'k' || accounts.key || ':') = 0,
      '{"agreement_type":' || coalesce(accounts.agreement_type, 'null') || ',' || substr(accounts.fields, 2),
      NULL
    ) AS account
  FROM step
  CROSS JOIN campaigns ON campaigns.key = (step.entry ->> 0)
  CROSS JOIN accounts ON accounts.key = campaigns.account_key
  WHERE step.entries_left > 0
    AND step.sent_bytes + step.shared_bytes + coalesce(octet_length(step.record), 0) + coalesce(octet_length(step.details), 0) + coalesce(octet_length(step.account), 0) < 600000
)
SELECT record, details, forgiven, account_key, account, entries_left
FROM step
WHERE number > 0

--  CO-ROUTINE step
--    SETUP
--      MATERIALIZE listed
--        CO-ROUTINE (subquery)
--          MERGE (UNION ALL)
--            LEFT
--              MATERIALIZE whole
--                SCAN campaign_words VIRTUAL TABLE INDEX 64:M1
--                SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--              SCAN whole
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
--              USE TEMP B-TREE FOR ORDER BY
--        SCAN (subquery)
--      SCAN listed
--    RECURSIVE STEP
--      SCAN step
--      SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--      SCALAR SUBQUERY
--        SCAN listed
--  SCAN step
