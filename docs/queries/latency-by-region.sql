SELECT
  blob7 AS region,
  sum(_sample_interval) AS requests,
  quantileExactWeighted(0.5)(double2, _sample_interval) AS p50,
  quantileExactWeighted(0.99)(double2, _sample_interval) AS p99
FROM loyalty_edge
WHERE blob1 = 'request' AND blob7 != '' AND timestamp > now() - INTERVAL '1' DAY
GROUP BY region
ORDER BY requests DESC
