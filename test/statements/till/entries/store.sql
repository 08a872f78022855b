INSERT INTO balance_entries (
  id, customer_key, store_key, amount, campaign_key, description, created_at, request
)
SELECT ?,
  customers.key,
  stores.key,
  ?,
  campaigns.key,
  ?,
  coalesce(?, (SELECT now FROM clock)),
  program_state.version
FROM program_state
CROSS JOIN stores ON stores.id = ?
CROSS JOIN customers ON customers.id = ?
LEFT JOIN campaigns ON campaigns.id = ?
WHERE program_state.act = ?

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SEARCH campaigns USING COVERING INDEX sqlite_autoindex_campaigns_1 (id=?) LEFT-JOIN
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
