WITH stem(asked, depth, letter) AS (
  SELECT value, 1, ''
  FROM json_each(?1)
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
  LIMIT 0 + ?2
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
),
guess(asked, beginning) AS MATERIALIZED (
  SELECT DISTINCT asked, value
  FROM meant
  CROSS JOIN json_each('["' || replace(beginnings, ' ', '","') || '"]')
  WHERE beginnings <> ''
),
tried(asked, beginning, turn, found) AS (
  SELECT asked,
    beginning,
    1,
    (
      SELECT min(merchant_vocabulary.word)
      FROM merchant_vocabulary
      WHERE merchant_vocabulary.word >= beginning
    )
  FROM guess
  UNION ALL
  SELECT asked,
    beginning,
    turn + 1,
    (
      SELECT min(merchant_vocabulary.word)
      FROM merchant_vocabulary
      WHERE merchant_vocabulary.word > found
        AND merchant_vocabulary.word < beginning
        || char(1114111)
    )
  FROM tried
  WHERE found IS NOT NULL AND NOT length(beginning) <= 6
  ORDER BY 3, 2
  LIMIT 0 + ?3
)
SELECT 'merchant' AS vocabulary,
  meant.asked AS word,
  (
    SELECT iif(count(*) > 5, meant.asked || '*', group_concat(word, ' '))
    FROM (
      SELECT merchant_vocabulary.word
      FROM merchant_vocabulary
      WHERE merchant_vocabulary.word >= meant.asked
        AND merchant_vocabulary.word < meant.asked
        || char(1114111)
      LIMIT 0 + ?4
    )
  ) AS exact,
  iif(
    meant.beginnings = '', NULL,
    (
      SELECT group_concat(term, ' ')
      FROM (
        SELECT iif(length(beginning) <= 6, beginning || '*', found) AS term
        FROM tried
        WHERE (
          tried.asked = meant.asked AND found IS NOT NULL
          AND iif(
            length(beginning) <= 6,
            (
              EXISTS (SELECT 1 FROM store_words WHERE store_words MATCH '"' || beginning || '"*')
              OR EXISTS (
                SELECT 1
                FROM campaign_words
                WHERE campaign_words MATCH '"' || beginning || '"*'
              )
            ),
            (
              EXISTS (SELECT 1 FROM store_words WHERE store_words MATCH '"' || found || '"')
              OR EXISTS (
                SELECT 1
                FROM campaign_words
                WHERE campaign_words MATCH '"' || found || '"'
              )
            )
          )
        )
        ORDER BY turn, beginning
        LIMIT 0 + ?5
      )
    )
  ) AS similar
FROM meant

--  MATERIALIZE meant
--    MATERIALIZE stem
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
--      CO-ROUTINE tried
--        SETUP
--          MATERIALIZE guess
--            SCAN meant
--            SCAN json_each VIRTUAL TABLE INDEX 1:
--            USE TEMP B-TREE FOR DISTINCT
--          SCAN guess
--          CORRELATED SCALAR SUBQUERY
--            SEARCH merchant_vocabulary USING PRIMARY KEY (word>?)
--        RECURSIVE STEP
--          SCAN tried
--          CORRELATED SCALAR SUBQUERY
--            SEARCH merchant_vocabulary USING PRIMARY KEY (word>? AND word<?)
--      BLOOM FILTER ON tried (asked=?)
--      SEARCH tried USING AUTOMATIC PARTIAL COVERING INDEX (asked=?)
--      CORRELATED SCALAR SUBQUERY
--        SCAN store_words VIRTUAL TABLE INDEX 0:M1
--      CORRELATED SCALAR SUBQUERY
--        SCAN campaign_words VIRTUAL TABLE INDEX 0:M1
--      CORRELATED SCALAR SUBQUERY
--        SCAN store_words VIRTUAL TABLE INDEX 0:M1
--      CORRELATED SCALAR SUBQUERY
--        SCAN campaign_words VIRTUAL TABLE INDEX 0:M1
--      USE TEMP B-TREE FOR ORDER BY
--    SCAN (subquery)
