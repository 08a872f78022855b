INSERT INTO balance_entries (
  id, customer_key, store_key, amount, campaign_key, description, created_at, request
)
SELECT ?1,
  customers.key,
  stores.key,
  ?2,
  campaigns.key,
  ?3,
  coalesce(?4, (SELECT now FROM clock)),
  program_state.version
FROM program_state
CROSS JOIN stores ON stores.id = ?5
CROSS JOIN customers ON customers.id = ?6
LEFT JOIN campaigns ON campaigns.id = ?7
WHERE program_state.act = ?8

--  SCAN program_state
--  SEARCH stores USING COVERING INDEX sqlite_autoindex_stores_1 (id=?)
--  SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SEARCH campaigns USING COVERING INDEX sqlite_autoindex_campaigns_1 (id=?) LEFT-JOIN
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
