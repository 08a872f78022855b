SELECT argMax(double9, timestamp) AS databaseBytes
FROM loyalty_edge
WHERE blob1 = 'request' AND double9 > 0 AND timestamp > now() - INTERVAL '1' HOUR
HAVING databaseBytes > 7000000000
