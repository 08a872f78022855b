WITH stem(asked, depth, letter) AS (
  SELECT value, 1, ''
  FROM json_each(?)
  UNION ALL
  SELECT asked, depth + 1, ''
  FROM stem
  WHERE letter = ''
    AND depth < length(asked) - 1
    AND EXISTS (
      SELECT 1
      FROM merchant_vocabulary
      WHERE merchant_vocabulary.word >= substr(asked, 1, depth + 1)
        AND merchant_vocabulary.word < substr(asked, 1, depth + 1)
        || char(1114111)
    )
  UNION ALL
  SELECT asked,
    depth,
    substr(
      (
        SELECT min(merchant_vocabulary.word)
        FROM merchant_vocabulary
        WHERE merchant_vocabulary.word > substr(asked, 1, depth)
          || iif(letter = '', '', letter || char(1114111))
          AND merchant_vocabulary.word < substr(asked, 1, depth)
          || char(1114111)
      ),
      depth + 1, 1
    )
  FROM stem
  WHERE letter IS NOT NULL AND depth < length(asked) - 1
  LIMIT 0 + ?
),
meant(asked, beginnings) AS MATERIALIZED (
  SELECT asked,
    rtrim(
      group_concat(
        iif(
          EXISTS (
            SELECT 1
            FROM merchant_vocabulary
            WHERE merchant_vocabulary.word >= guess_1
              AND merchant_vocabulary.word < guess_1
              || char(1114111)
          ),
          guess_1 || ' ', ''
        ) || iif(
          EXISTS (
            SELECT 1
            FROM merchant_vocabulary
            WHERE merchant_vocabulary.word >= guess_2
              AND merchant_vocabulary.word < guess_2
              || char(1114111)
          ),
          guess_2 || ' ', ''
        ),
        ''
      )
    )
  FROM (
    SELECT asked,
      substr(asked, 1, depth) || iif(
        depth = length(asked) - 1, '',
        iif(
          letter <> '', letter || substr(asked, depth + 1),
          substr(asked, depth + 2, 1) || substr(asked, depth + 1, 1) || substr(asked, depth + 3)
        )
      ) AS guess_1,
      substr(asked, 1, depth) || iif(
        depth = length(asked) - 1, '',
        iif(letter <> '', letter || substr(asked, depth + 2), substr(asked, depth + 2))
      ) AS guess_2
    FROM stem
    WHERE letter <> substr(asked, depth + 1, 1)
  )
  GROUP BY asked
)
SELECT 'merchant' AS vocabulary,
  meant.asked AS word,
  (
    SELECT iif(count(*) > 5, '"' || meant.asked || '"*', group_concat('"' || word || '"', ' OR '))
    FROM (
      SELECT merchant_vocabulary.word
      FROM merchant_vocabulary
      WHERE merchant_vocabulary.word >= meant.asked
        AND merchant_vocabulary.word < meant.asked
        || char(1114111)
      LIMIT 0 + ?
    )
  ) AS exact,
  (
    SELECT group_concat(term, ' OR ')
    FROM (
      SELECT iif(
        length(beginning) <= 6, '"' || beginning || '"*', '"' || merchant_vocabulary.word || '"'
      ) AS term
      FROM (
        SELECT DISTINCT value AS beginning
        FROM json_each('["' || replace(nullif(meant.beginnings, ''), ' ', '","') || '"]')
        ORDER BY value
      )
      CROSS JOIN merchant_vocabulary
        ON merchant_vocabulary.word >= beginning
        AND merchant_vocabulary.word <= iif(
          length(beginning) <= 6,
          (
            SELECT min(merchant_vocabulary.word)
            FROM merchant_vocabulary
            WHERE merchant_vocabulary.word >= beginning
          ),
          beginning || char(1114111)
        )
      LIMIT 0 + ?
    )
  ) AS neighbours
FROM meant

--  MATERIALIZE meant
--    CO-ROUTINE stem
--      SETUP
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--      RECURSIVE STEP
--        COMPOUND QUERY
--          LEFT-MOST SUBQUERY
--            SCAN stem
--            SEARCH merchant_vocabulary EXISTS USING PRIMARY KEY (word>? AND word<?)
--          UNION ALL
--            SCAN stem
--            CORRELATED SCALAR SUBQUERY
--              SEARCH merchant_vocabulary USING PRIMARY KEY (word>? AND word<?)
--    SCAN stem
--    USE TEMP B-TREE FOR GROUP BY
--    CORRELATED SCALAR SUBQUERY
--      SEARCH merchant_vocabulary USING PRIMARY KEY (word>? AND word<?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH merchant_vocabulary USING PRIMARY KEY (word>? AND word<?)
--  SCAN meant
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH merchant_vocabulary USING PRIMARY KEY (word>? AND word<?)
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      CO-ROUTINE (subquery)
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--        USE TEMP B-TREE FOR DISTINCT
--      SCAN (subquery)
--      SEARCH merchant_vocabulary USING PRIMARY KEY (word>? AND word<?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH merchant_vocabulary USING PRIMARY KEY (word>?)
--    SCAN (subquery)
