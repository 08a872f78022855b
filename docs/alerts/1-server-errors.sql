SELECT
  sum(if(double1 >= 500, _sample_interval, 0)) AS failures,
  sum(if(double1 >= 500, _sample_interval, 0)) / sum(_sample_interval) AS share
FROM loyalty_edge
WHERE blob1 = 'request' AND timestamp > now() - INTERVAL '5' MINUTE
HAVING failures > 10 AND share > 0.01
