WITH balance_entry AS (
  SELECT *
  FROM balance_entries
  WHERE balance_entries.id = ?1
    AND balance_entries.request = (
      SELECT program_state.version
      FROM program_state
      WHERE program_state.act = ?2
    )
)
INSERT INTO store_balances (customer_key, store_key, balance)
SELECT balance_entries.customer_key AS customer_key,
  balance_entries.store_key AS store_key,
  sum(balance_entries.amount) AS balance
FROM balance_entry AS balance_entries
WHERE balance_entries.customer_key IS NOT NULL
GROUP BY balance_entries.customer_key, balance_entries.store_key
ON CONFLICT (customer_key, store_key) DO UPDATE
SET balance = store_balances.balance + excluded.balance
WHERE (excluded.balance) IS NOT (0)

--  SEARCH balance_entries USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    SCAN program_state
