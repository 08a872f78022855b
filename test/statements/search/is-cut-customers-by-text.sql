SELECT 'customers' AS list,
  (
    EXISTS (
      SELECT rowid AS key
      FROM customer_words
      WHERE customer_words MATCH ?1
      ORDER BY rowid
      LIMIT 0 + 1 OFFSET 0 + ?2
    )
    OR EXISTS (SELECT 1 FROM customers WHERE octet_length(customers.words) > 400)
  ) AS is_cut

--  SCAN CONSTANT ROW
--  SCALAR SUBQUERY
--    SCAN customer_words VIRTUAL TABLE INDEX 0:M1
--  SCALAR SUBQUERY
--    SEARCH customers USING COVERING INDEX customers_with_many_words (<expr>>?)
