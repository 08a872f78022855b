SELECT visible_customers.key AS key,
  visible_customers.id AS id,
  visible_customers.first_name AS first_name,
  visible_customers.last_name AS last_name
FROM visible_customers
WHERE (visible_customers.scan_id = ?1 AND visible_customers.scan_id <> '')
ORDER BY visible_customers.id
LIMIT 0 + ?2

--  SEARCH customers USING INDEX customers_by_scan_id (scan_id=?)
--  USE TEMP B-TREE FOR ORDER BY
