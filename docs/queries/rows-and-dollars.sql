SELECT
  sum(_sample_interval * double7) AS rowsRead,
  sum(_sample_interval * double8) AS rowsWritten,
  (sum(_sample_interval * double7) * 0.001 + sum(_sample_interval * double8)) / 1000000 AS dollars
FROM loyalty_edge
WHERE blob1 = 'request' AND timestamp > now() - INTERVAL '30' DAY
