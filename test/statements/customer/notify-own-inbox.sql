INSERT INTO changes (customer_keys, topic, newest_at)
SELECT json_array(customers.key), 'messages', ''
FROM program_state
CROSS JOIN customers ON customers.id = ?1
WHERE program_state.act = ?2

--  SCAN program_state
--  SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
