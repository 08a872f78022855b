SELECT blob8 AS fault, sum(_sample_interval) AS requests
FROM loyalty_edge
WHERE blob1 = 'request' AND blob8 != '' AND timestamp > now() - INTERVAL '5' MINUTE
GROUP BY fault
HAVING requests > 10
