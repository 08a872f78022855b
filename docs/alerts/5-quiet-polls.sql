SELECT
  sum(_sample_interval) AS polls,
  sum(if(blob6 = 'inbox', _sample_interval, 0)) / sum(_sample_interval) AS quiet_share
FROM loyalty_edge
WHERE blob1 = 'request' AND blob3 = 'GET' AND blob4 = '/api/v1/customer/messages' AND double1 = 200
  AND timestamp > now() - INTERVAL '15' MINUTE
HAVING polls > 1000 AND quiet_share < 0.5
