WITH segment(id) AS MATERIALIZED (
  SELECT min(segid)
  FROM customer_words_idx
  UNION ALL
  SELECT (SELECT min(segid) FROM customer_words_idx WHERE segid > id)
  FROM segment
  WHERE id IS NOT NULL
),
list(position, first, last, pages) AS MATERIALIZED (
  SELECT key,
    value ->> 0,
    value ->> 1,
    (value ->> 2) * (
      SELECT coalesce(
        sum(
          coalesce(
            (
              SELECT pgno
              FROM customer_words_idx
              WHERE segid = segment.id AND term > CAST(value ->> 1 AS BLOB)
              ORDER BY term
              LIMIT 1
            ) / 2,
            (
              SELECT max(id) & 2147483647
              FROM customer_words_data
              WHERE id < (segment.id << 37) + 2147483648
            ) + 1
          ) - 1 - (
            SELECT pgno
            FROM customer_words_idx
            WHERE segid = segment.id AND term <= CAST(value ->> 0 AS BLOB)
            ORDER BY term DESC
            LIMIT 1
          ) / 2
        ),
        0
      )
      FROM segment
      WHERE id IS NOT NULL
    )
  FROM json_each(?)
),
lengths(position, pages) AS MATERIALIZED (
  SELECT position,
    iif(
      are_many AND pages > 16 AND NOT EXISTS (
        SELECT 1
        FROM customer_words_terms
        WHERE term >= substr(first, 2) AND term <= substr(last, 2)
        LIMIT 1 OFFSET 1000
      ),
      1, pages
    )
  FROM list
  CROSS JOIN (SELECT sum(pages) > ? AS are_many FROM list)
)
SELECT 'customers' AS list,
  iif(
    (SELECT coalesce(max(customers.key), 0) FROM customers) <= ?, '[]',
    (SELECT json_group_array(pages ORDER BY position) FROM lengths)
  ) AS pages,
  EXISTS (
    SELECT 1
    FROM blocks
    WHERE blocks.blocked_key = (SELECT customers.key FROM customers WHERE customers.id = ?)
    LIMIT 0 + ? OFFSET 0 + ?
  ) AS hides_more

--  SCAN CONSTANT ROW
--  SCALAR SUBQUERY
--    SEARCH customers
--  SCALAR SUBQUERY
--    MATERIALIZE lengths
--      MATERIALIZE list
--        SCAN json_each VIRTUAL TABLE INDEX 1:
--        CORRELATED SCALAR SUBQUERY
--          MATERIALIZE segment
--            SETUP
--              SEARCH customer_words_idx USING PRIMARY KEY
--            RECURSIVE STEP
--              SCAN segment
--              CORRELATED SCALAR SUBQUERY
--                SEARCH customer_words_idx USING PRIMARY KEY (segid>?)
--          SCAN segment
--          CORRELATED SCALAR SUBQUERY
--            SEARCH customer_words_idx USING PRIMARY KEY (segid=? AND term>?)
--          CORRELATED SCALAR SUBQUERY
--            SEARCH customer_words_data USING INTEGER PRIMARY KEY (rowid<?)
--          CORRELATED SCALAR SUBQUERY
--            SEARCH customer_words_idx USING PRIMARY KEY (segid=? AND term<?)
--      MATERIALIZE (subquery)
--        SCAN list
--      SCAN list
--      SCAN (subquery)
--      CORRELATED SCALAR SUBQUERY
--        SCAN customer_words_terms VIRTUAL TABLE INDEX 1537:
--    USE TEMP B-TREE FOR json_group_array(ORDER BY)
--    SCAN lengths
--  SCALAR SUBQUERY
--    SEARCH blocks USING COVERING INDEX blocks_by_blocked_key (blocked_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
