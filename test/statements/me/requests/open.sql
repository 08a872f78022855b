SELECT customer_requests.type AS type, customer_requests.requested_at AS requested_at
FROM customer_requests
WHERE customer_requests.customer_key = (
  SELECT customers.key
  FROM customers
  WHERE customers.id = ?1 AND customers.erased = 0
)
  AND customer_requests.type = ?2

--  SEARCH customer_requests USING PRIMARY KEY (customer_key=? AND type=?)
--  SCALAR SUBQUERY
--    SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
