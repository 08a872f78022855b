SELECT blob4 AS route, double1 AS status, blob5 AS error, blob8 AS fault, sum(_sample_interval) AS requests
FROM loyalty_edge
WHERE blob1 = 'request' AND double1 >= 400 AND timestamp > now() - INTERVAL '1' HOUR
GROUP BY route, status, error, fault
ORDER BY requests DESC
