INSERT INTO requests (version, at, source, subject, lines, line)
SELECT program_state.version,
  (SELECT now FROM clock),
  ?1,
  ?2,
  1,
  json_object(
    'record', 'message_state', 'group_id', message_groups.id, 'customer_id', customers.id,
    'read_at', message_states.read_at, 'notifications_disabled',
    message_states.notifications_disabled
  )
FROM program_state
CROSS JOIN message_groups ON message_groups.id = ?3
CROSS JOIN customers ON customers.id = ?2
CROSS JOIN message_states
  ON message_states.group_key = message_groups.key
  AND message_states.customer_key = customers.key
WHERE program_state.act = ?4
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
--  SEARCH message_groups USING COVERING INDEX sqlite_autoindex_message_groups_1 (id=?)
--  SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SEARCH message_states USING PRIMARY KEY (group_key=? AND customer_key=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH outbox USING PRIMARY KEY (version=?)
