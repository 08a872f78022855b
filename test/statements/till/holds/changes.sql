SELECT (
  SELECT json_group_array(
    json_object(
      'version', outbox.version, 'topic', outbox.topic, 'customers', json(outbox.customers),
      'newestAt', outbox.newest_at, 'storedAt', outbox.stored_at
    )
  )
  FROM outbox
  WHERE outbox.version = (
    SELECT program_state.version
    FROM program_state
    WHERE program_state.act = ?1
  )
    AND outbox.topic = 'coupons'
    AND outbox.customers = (
      SELECT json_array(
        (SELECT customers.id FROM customers WHERE customers.key = customer_coupons.customer_key)
      )
      FROM till_holds
      CROSS JOIN customer_coupons ON customer_coupons.id = till_holds.customer_coupon_key
      WHERE till_holds.id = ?2
    )
) AS changes

--  SCAN CONSTANT ROW
--  SCALAR SUBQUERY
--    SEARCH outbox USING PRIMARY KEY (version=? AND topic=? AND customers=?)
--    SCALAR SUBQUERY
--      SCAN program_state
--    SCALAR SUBQUERY
--      SEARCH till_holds USING PRIMARY KEY (id=?)
--      SEARCH customer_coupons USING PRIMARY KEY (id=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
