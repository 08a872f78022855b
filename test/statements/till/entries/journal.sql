INSERT INTO requests (version, at, source, subject, lines, line)
SELECT program_state.version,
  (SELECT now FROM clock),
  ?1,
  ?2,
  1,
  json_object(
    'record', 'balance_entry', 'id', balance_entries.id, 'customer_id',
    (SELECT customers.id FROM customers WHERE customers.key = balance_entries.customer_key),
    'store_id', (SELECT stores.id FROM stores WHERE stores.key = balance_entries.store_key),
    'amount', ?3, 'campaign_id',
    (SELECT campaigns.id FROM campaigns WHERE campaigns.key = balance_entries.campaign_key),
    'description', balance_entries.description, 'created_at', balance_entries.created_at
  )
FROM program_state
CROSS JOIN balance_entries ON balance_entries.id = ?4
WHERE program_state.act = ?5
RETURNING (
  SELECT json_group_array(
    json_object(
      'version', outbox.version, 'topic', outbox.topic, 'customers', json(outbox.customers),
      'newestAt', outbox.newest_at, 'storedAt', outbox.stored_at
    )
  )
  FROM outbox
  WHERE outbox.version = requests.version
) AS changes

--  SCAN program_state
--  SEARCH balance_entries USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH outbox USING PRIMARY KEY (version=?)
