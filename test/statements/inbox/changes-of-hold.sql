SELECT outbox.version AS version,
  outbox.topic AS topic,
  outbox.customers AS customers,
  outbox.newest_at AS "newestAt",
  outbox.stored_at AS "storedAt"
FROM (
  SELECT version,
    topic,
    customers,
    newest_at,
    stored_at,
    sum(json_array_length(outbox.customers)) OVER (
      ORDER BY outbox.version DESC, outbox.topic DESC, outbox.customers DESC
    ) AS listeners
  FROM (
    SELECT version, topic, customers, newest_at, stored_at
    FROM outbox
    WHERE outbox.version = (
      SELECT program_state.version
      FROM program_state
      WHERE program_state.act = ?
    )
      AND outbox.topic = 'coupons'
      AND outbox.customers = (
        SELECT json_array(
          (SELECT customers.id FROM customers WHERE customers.key = customer_coupons.customer_key)
        )
        FROM till_holds
        CROSS JOIN customer_coupons ON customer_coupons.id = till_holds.customer_coupon_key
        WHERE till_holds.id = ?
      )
    ORDER BY outbox.version DESC, outbox.topic DESC, outbox.customers DESC
    LIMIT 0 + ?
  ) AS outbox
) AS outbox
WHERE listeners <= ?
ORDER BY outbox.version DESC, outbox.topic DESC, outbox.customers DESC

--  CO-ROUTINE outbox
--    CO-ROUTINE (subquery)
--      CO-ROUTINE outbox
--        SEARCH outbox USING PRIMARY KEY (version=? AND topic=? AND customers=?)
--        SCALAR SUBQUERY
--          SCAN program_state
--        SCALAR SUBQUERY
--          SEARCH till_holds USING PRIMARY KEY (id=?)
--          SEARCH customer_coupons USING PRIMARY KEY (id=?)
--          CORRELATED SCALAR SUBQUERY
--            SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--      SCAN outbox
--    SCAN (subquery)
--  SCAN outbox
--  USE TEMP B-TREE FOR ORDER BY
