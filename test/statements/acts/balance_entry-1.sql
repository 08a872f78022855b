WITH balance_entry AS (
  SELECT *
  FROM balance_entries
  WHERE balance_entries.id = ?1
    AND balance_entries.request = (
      SELECT program_state.version
      FROM program_state
      WHERE program_state.act = ?2
    )
) UPDATE customers
SET balance = customers.balance + new.balance
FROM (
  SELECT balance_entries.customer_key AS key, sum(balance_entries.amount) AS balance
  FROM balance_entry AS balance_entries
  WHERE balance_entries.customer_key IS NOT NULL
  GROUP BY balance_entries.customer_key
) AS new
WHERE customers.key = new.key

--  MATERIALIZE new
--    SEARCH balance_entries USING PRIMARY KEY (id=?)
--    SCALAR SUBQUERY
--      SCAN program_state
--  SCAN new
--  SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
