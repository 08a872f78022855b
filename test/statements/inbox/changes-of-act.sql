SELECT outbox.version AS version,
  outbox.topic AS topic,
  outbox.customers AS customers,
  outbox.newest_at AS "newestAt",
  outbox.stored_at AS "storedAt"
FROM (
  SELECT version,
    topic,
    customers,
    newest_at,
    stored_at,
    sum(json_array_length(outbox.customers)) OVER (
      ORDER BY outbox.version DESC, outbox.topic DESC, outbox.customers DESC
    ) AS listeners
  FROM (
    SELECT version, topic, customers, newest_at, stored_at
    FROM outbox
    WHERE outbox.version = (
      SELECT program_state.version
      FROM program_state
      WHERE program_state.act = ?
    )
    ORDER BY outbox.version DESC, outbox.topic DESC, outbox.customers DESC
    LIMIT 0 + ?
  ) AS outbox
) AS outbox
WHERE listeners <= ?
ORDER BY outbox.version DESC, outbox.topic DESC, outbox.customers DESC

--  CO-ROUTINE outbox
--    CO-ROUTINE (subquery)
--      CO-ROUTINE outbox
--        SEARCH outbox USING PRIMARY KEY (version=?)
--        SCALAR SUBQUERY
--          SCAN program_state
--      SCAN outbox
--    SCAN (subquery)
--  SCAN outbox
--  USE TEMP B-TREE FOR ORDER BY
