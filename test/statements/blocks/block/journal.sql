INSERT INTO requests (version, at, source, subject, lines, line)
SELECT program_state.version,
  (SELECT now FROM clock),
  ?1,
  ?2,
  1,
  json_object('record', 'block', 'customer_id', ?2, 'blocked_id', ?3)
FROM program_state
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
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  CORRELATED SCALAR SUBQUERY
--    SEARCH outbox USING PRIMARY KEY (version=?)
