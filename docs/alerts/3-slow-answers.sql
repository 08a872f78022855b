SELECT
  blob4 AS route,
  sum(_sample_interval) AS requests,
  quantileExactWeighted(0.99)(double2, _sample_interval) AS p99,
  quantileExactWeighted(0.99)(double3, _sample_interval) AS p99_of_d1
FROM loyalty_edge
WHERE blob1 = 'request' AND blob4 LIKE '/api/v1/customer/%' AND timestamp > now() - INTERVAL '15' MINUTE
GROUP BY route
HAVING requests > 100 AND p99 > 1000
