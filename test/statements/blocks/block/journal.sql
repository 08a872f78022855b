INSERT INTO requests (version, at, source, subject, lines, line)
SELECT program_state.version,
  (SELECT now FROM clock),
  ?,
  ?,
  1,
  json_object('record', 'block', 'customer_id', ?, 'blocked_id', ?)
FROM program_state
WHERE program_state.act = ?

--  SCAN program_state
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
