SELECT
  max(double3) AS waiting,
  max(double4) AS oldestSeconds,
  sum(_sample_interval * double6) AS failed
FROM loyalty_edge
WHERE blob1 = 'run' AND blob3 = 'notify inboxes' AND timestamp > now() - INTERVAL '5' MINUTE
HAVING oldestSeconds > 180
