SELECT coalesce(
  (
    SELECT message_group_news.newest_at AS newest_at
    FROM message_group_news
    WHERE message_group_news.customer_key = (
      SELECT customers.key
      FROM customers
      WHERE customers.id = ?1
    )
    ORDER BY message_group_news.newest_at DESC
    LIMIT 0 + ?2
  ),
  ''
) AS `newestAt`,
  program_state.is_open AS `isOpen`,
  program_state.stamp AS stamp,
  coalesce(
    (
      SELECT max(
        0,
        (unixepoch(program_state.clock_said) + 1 - unixepoch(clock.now)) * 1000 - clock.millisecond
      )
      FROM clock
      CROSS JOIN program_state
      WHERE program_state.is_open = 1
    ),
    0
  ) AS `waitMs`
FROM program_state

--  SCAN program_state
--  SCALAR SUBQUERY
--    SEARCH message_group_news USING PRIMARY KEY (customer_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--    BLOOM FILTER ON program_state (is_open=?)
--    SEARCH program_state USING AUTOMATIC PARTIAL COVERING INDEX (is_open=?)
