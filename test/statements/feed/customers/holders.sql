SELECT customers.key AS key,
  customers.id AS id,
  customers.first_name AS first_name,
  customers.last_name AS last_name
FROM customers
WHERE (customers.scan_id = ? AND customers.scan_id <> '')
ORDER BY customers.id
LIMIT 0 + ?

--  SEARCH customers USING INDEX customers_by_scan_id (scan_id=?)
--  USE TEMP B-TREE FOR ORDER BY
