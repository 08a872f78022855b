SELECT
  sum(_sample_interval) AS runs,
  sum(_sample_interval * double1) AS failures
FROM loyalty_edge
WHERE blob1 = 'run' AND blob3 = 'notify inboxes' AND timestamp > now() - INTERVAL '10' MINUTE
HAVING runs < 5 OR failures > 2
