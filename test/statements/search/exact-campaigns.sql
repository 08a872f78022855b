WITH segment(id) AS MATERIALIZED (
  SELECT min(segid)
  FROM campaign_words_idx
  UNION ALL
  SELECT (SELECT min(segid) FROM campaign_words_idx WHERE segid > id)
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
              FROM campaign_words_idx
              WHERE segid = segment.id AND term > CAST(last AS BLOB)
              ORDER BY term
              LIMIT 1
            ) / 2,
            (
              SELECT max(id) & 2147483647
              FROM campaign_words_data
              WHERE id < (segment.id << 37) + 2147483648
            ) + 1
          ) - 1 - (
            SELECT pgno
            FROM campaign_words_idx
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
        FROM campaign_words_terms
        WHERE term >= substr(first, 2) AND term <= substr(last, 2)
        LIMIT 1 OFFSET 1000
      ),
      1, pages
    )
  FROM list
),
begun(records) AS MATERIALIZED (
  SELECT count(*)
  FROM (SELECT 1 FROM campaign_words WHERE campaign_words MATCH ?2 LIMIT 20 + 1)
),
short(is_short) AS MATERIALIZED (
  SELECT (SELECT records FROM begun) <= 20
    OR (SELECT sum(pages) FROM list) <= ?3
    OR (SELECT sum(pages) FROM lengths) <= ?3
),
whole(key) AS MATERIALIZED (
  SELECT candidate.key
  FROM (
    SELECT rowid AS key
    FROM campaign_words
    WHERE campaign_words MATCH ?4
    ORDER BY rowid
    LIMIT 0 + ?5
  ) AS candidate
  CROSS JOIN campaigns ON campaigns.key = candidate.key
  WHERE NOT EXISTS (
    SELECT 1
    FROM accounts INDEXED BY accounts_deleted
    WHERE accounts.deleted = 1 AND accounts.key = campaigns.account_key
  )
  LIMIT iif(20 > 0 AND (SELECT records FROM begun) > 0, 20, 0)
),
others(key) AS MATERIALIZED (
  SELECT candidate.key
  FROM (
    SELECT rowid AS key
    FROM campaign_words
    WHERE campaign_words MATCH ?6
    ORDER BY rowid
    LIMIT 0 + ?5
  ) AS candidate
  CROSS JOIN campaigns ON campaigns.key = candidate.key
  WHERE NOT EXISTS (
    SELECT 1
    FROM accounts INDEXED BY accounts_deleted
    WHERE accounts.deleted = 1 AND accounts.key = campaigns.account_key
  )
    AND candidate.key NOT IN (SELECT key FROM whole)
  LIMIT iif(
    20 - (SELECT count(*) FROM whole) > 0 AND (SELECT records FROM begun) > 0 AND (SELECT is_short FROM short),
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
  LIMIT 0 + ?7
)
SELECT iif(
  (SELECT count(*) FROM whole) = 20 OR (SELECT is_short FROM short), '[]',
  (SELECT json_group_array(pages ORDER BY position) FROM lengths)
) AS pages,
  EXISTS (SELECT 1 FROM removed_accounts) AS hides_more,
  records.*
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
--                  SCAN campaign_words VIRTUAL TABLE INDEX 64:M1
--                SCALAR SUBQUERY
--                  MATERIALIZE begun
--                    CO-ROUTINE (subquery)
--                      SCAN campaign_words VIRTUAL TABLE INDEX 0:M1
--                    SCAN (subquery)
--                  SCAN begun
--                SCAN candidate
--                SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--              SCAN whole
--              SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--              SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
--              USE TEMP B-TREE FOR ORDER BY
--            RIGHT
--              MATERIALIZE others
--                CO-ROUTINE candidate
--                  SCAN campaign_words VIRTUAL TABLE INDEX 64:M1
--                SCALAR SUBQUERY
--                  SCAN whole
--                SCALAR SUBQUERY
--                  SCAN begun
--                SCALAR SUBQUERY
--                  MATERIALIZE short
--                    SCAN CONSTANT ROW
--                    SCALAR SUBQUERY
--                      SCAN begun
--                    SCALAR SUBQUERY
--                      MATERIALIZE list
--                        SCAN json_each VIRTUAL TABLE INDEX 1:
--                        CORRELATED SCALAR SUBQUERY
--                          MATERIALIZE segment
--                            SETUP
--                              SEARCH campaign_words_idx USING PRIMARY KEY
--                            RECURSIVE STEP
--                              SCAN segment
--                              CORRELATED SCALAR SUBQUERY
--                                SEARCH campaign_words_idx USING PRIMARY KEY (segid>?)
--                          SCAN segment
--                          CORRELATED SCALAR SUBQUERY
--                            SEARCH campaign_words_idx USING PRIMARY KEY (segid=? AND term>?)
--                          CORRELATED SCALAR SUBQUERY
--                            SEARCH campaign_words_data USING INTEGER PRIMARY KEY (rowid<?)
--                          CORRELATED SCALAR SUBQUERY
--                            SEARCH campaign_words_idx USING PRIMARY KEY (segid=? AND term<?)
--                      SCAN list
--                    SCALAR SUBQUERY
--                      MATERIALIZE lengths
--                        SCAN list
--                        CORRELATED SCALAR SUBQUERY
--                          SCAN campaign_words_terms VIRTUAL TABLE INDEX 1537:
--                      SCAN lengths
--                  SCAN short
--                SCALAR SUBQUERY
--                  SCAN whole
--                SCAN candidate
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
--      SCAN (subquery)
--    SCAN listed
--    SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--    SEARCH accounts USING INTEGER PRIMARY KEY (rowid=?)
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
--    SCAN removed_accounts
