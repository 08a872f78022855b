SELECT message_groups.id AS group_id,
  page.at AS time,
  json_object(
    'group_id', message_groups.id, 'group_image', message_groups.group_image, 'last_message',
    iif(blocks.blocked_key IS NULL, messages.body, ''), 'last_message_time', page.at,
    'initial_customer_id', starter.id, 'initial_customer_name',
    iif(message_groups.initial_life = starter.life, starter.name, ''), 'initial_customer_avatar',
    iif(message_groups.initial_life = starter.life, starter.avatar, ''), 'last_customer', sender.id,
    'last_customer_name',
    iif(blocks.blocked_key IS NULL, iif(messages.life = sender.life, sender.name, ''), ''),
    'last_customer_avatar',
    iif(blocks.blocked_key IS NULL, iif(messages.life = sender.life, sender.avatar, ''), ''),
    'read_status',
    iif(
      sender.key = (
        SELECT customers.key
        FROM customers
        WHERE customers.id = ?1
      ) AND messages.life = sender.life OR message_states.read_at >= page.at OR blocks.blocked_key IS NOT NULL,
      1, 0
    ),
    'notifications_disabled', coalesce(message_states.notifications_disabled, 0)
  ) AS record,
  (
    SELECT json_object(
      'group_name',
      concat_ws(
        ' ', nullif(group_concat(name, ', ') FILTER (WHERE NOT is_blocked), ''),
        '(' || nullif(count(*) FILTER (WHERE is_blocked), 0) || ' blocked)'
      ),
      'group_members',
      json_group_array(
        json_object(
          'id', id, 'name', name, 'avatar', avatar, 'customer_description', customer_description,
          'friend_status', friend_status, 'total_balance',
          iif(
            balance % 100 = 0, balance / 100,
            iif(
              abs(balance) < 1e15, balance / 100.0,
              json(
                printf(
                  '%s%d.%02d', iif(balance < 0, '-', ''), abs(balance) / 100, abs(balance) % 100
                )
              )
            )
          ),
          'is_blocked', json(iif(is_blocked, 'true', 'false'))
        )
      )
    )
    FROM (
      SELECT customers.id AS id,
        customers.name AS name,
        customers.avatar AS avatar,
        customers.customer_description AS customer_description,
        coalesce(
          (
            SELECT friendships.status
            FROM friendships
            WHERE friendships.low_key = min(
              (SELECT customers.key FROM customers WHERE customers.id = ?1), customers.key
            )
              AND friendships.high_key = max(
                (SELECT customers.key FROM customers WHERE customers.id = ?1), customers.key
              )
          ),
          -1
        ) AS friend_status,
        customers.balance AS balance,
        EXISTS (
          SELECT 1
          FROM blocks
          WHERE blocks.customer_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
            AND blocks.blocked_key = customers.key
        ) AS is_blocked
      FROM message_group_members AS member
      CROSS JOIN customers ON customers.key = member.customer_key
      WHERE member.group_key = message_groups.key
        AND member.customer_key <> (SELECT customers.key FROM customers WHERE customers.id = ?1)
      ORDER BY member.position
    )
  ) AS `nameAndMembers`
FROM (
  SELECT message_group_members.group_key AS group_key,
    message_group_members.customer_key AS customer_key,
    iif(
      message_groups.newest_at < (SELECT program_state.stamp AS stamp FROM program_state),
      message_groups.newest_at, message_groups.earlier_at
    ) AS at,
    message_groups.newest_at < (SELECT program_state.stamp AS stamp FROM program_state) AS is_newest
  FROM message_groups
  CROSS JOIN message_group_members ON message_group_members.group_key = message_groups.key
  WHERE message_groups.id = ?2
    AND message_group_members.customer_key = (
      SELECT customers.key
      FROM customers
      WHERE customers.id = ?1
    )
    AND iif(
      message_groups.newest_at < (SELECT program_state.stamp AS stamp FROM program_state),
      message_groups.newest_at, message_groups.earlier_at
    ) IS NOT NULL
) AS page
CROSS JOIN message_groups ON message_groups.key = page.group_key
CROSS JOIN messages
  ON messages.id = iif(page.is_newest, message_groups.newest_id, message_groups.earlier_id)
CROSS JOIN customers AS starter ON starter.key = message_groups.initial_customer_key
CROSS JOIN customers AS sender ON sender.key = messages.customer_key
LEFT JOIN message_states
  ON message_states.group_key = message_groups.key
  AND message_states.customer_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
LEFT JOIN blocks
  ON blocks.customer_key = (SELECT customers.key FROM customers WHERE customers.id = ?1)
  AND blocks.blocked_key = sender.key

--  SEARCH message_groups USING INDEX sqlite_autoindex_message_groups_1 (id=?)
--  SCALAR SUBQUERY
--    SCAN program_state
--  SEARCH message_group_members USING PRIMARY KEY (group_key=? AND customer_key=?)
--  SCALAR SUBQUERY
--    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SEARCH message_groups USING INTEGER PRIMARY KEY (rowid=?)
--  SEARCH messages USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    SCAN program_state
--  SEARCH starter USING INTEGER PRIMARY KEY (rowid=?)
--  SEARCH sender USING INTEGER PRIMARY KEY (rowid=?)
--  SEARCH message_states USING PRIMARY KEY (group_key=? AND customer_key=?) LEFT-JOIN
--  SCALAR SUBQUERY
--    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SEARCH blocks USING COVERING INDEX blocks_by_blocked_key (blocked_key=? AND customer_key=?) LEFT-JOIN
--  SCALAR SUBQUERY
--    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    SCAN program_state
--  SCALAR SUBQUERY
--    SCAN program_state
--  SCALAR SUBQUERY
--    SCAN program_state
--  SCALAR SUBQUERY
--    SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  CORRELATED SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH member USING PRIMARY KEY (group_key=?)
--      SCALAR SUBQUERY
--        SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH friendships USING PRIMARY KEY (low_key=? AND high_key=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH blocks USING PRIMARY KEY (customer_key=? AND blocked_key=?)
--        SCALAR SUBQUERY
--          SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      USE TEMP B-TREE FOR ORDER BY
--    SCAN (subquery)
