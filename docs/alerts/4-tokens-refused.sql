SELECT
  sum(if(double1 IN (401, 403), _sample_interval, 0)) AS refused,
  sum(if(double1 IN (401, 403), _sample_interval, 0)) / sum(_sample_interval) AS share
FROM loyalty_edge
WHERE blob1 = 'request' AND blob4 LIKE '/api/v1/customer/%' AND timestamp > now() - INTERVAL '5' MINUTE
HAVING refused > 50 AND share > 0.1
