WITH RECURSIVE listed(entries) AS MATERIALIZED (
  SELECT json_group_array(json_array(group_key, at, is_newest))
  FROM (
    SELECT message_group_news.group_key AS group_key,
      message_group_news.group_id AS group_id,
      message_group_news.newest_at AS at,
      1 AS is_newest
    FROM message_group_news
    WHERE message_group_news.customer_key = (
      SELECT customers.key
      FROM customers
      WHERE customers.id = ?
    )
      AND message_group_news.newest_at < (SELECT program_state.stamp AS stamp FROM program_state)
      AND message_group_news.newest_at > ?
      AND message_group_news.newest_at <= ?
      AND (message_group_news.newest_at < ? OR message_group_news.group_id > ?)
    UNION ALL
    SELECT message_group_news.group_key AS group_key,
      message_group_news.group_id AS group_id,
      message_groups.earlier_at AS at,
      0
    FROM message_group_news
    CROSS JOIN message_groups ON message_groups.key = message_group_news.group_key
    WHERE message_group_news.customer_key = (
      SELECT customers.key
      FROM customers
      WHERE customers.id = ?
    )
      AND message_group_news.newest_at = (SELECT program_state.stamp AS stamp FROM program_state)
      AND message_groups.earlier_at > ?
      AND message_groups.earlier_at <= ?
      AND (message_groups.earlier_at < ? OR message_group_news.group_id > ?)
    ORDER BY at DESC, group_id
    LIMIT 1 + ? OFFSET ?
  )
),
step(
  number, entries_left, entry, sent_bytes, shared_bytes, keys, caller, group_id, last_message_time,
  record, "nameAndMembers"
) AS (
  SELECT 0,
    json_array_length(entries),
    entries -> 0,
    0,
    0,
    '',
    (SELECT customers.key FROM customers WHERE customers.id = ?),
    NULL,
    NULL,
    NULL,
    NULL
  FROM listed
  UNION ALL
  SELECT step.number + 1,
    step.entries_left - 1,
    (SELECT entries FROM listed) -> (step.number + 1),
    step.sent_bytes + step.shared_bytes + coalesce(octet_length(step.record), 0) + coalesce(octet_length(step."nameAndMembers"), 0),
    0,
    '',
    step.caller,
    message_groups.id AS group_id,
    (step.entry ->> 1) AS last_message_time,
    json_object(
      'group_id', message_groups.id, 'group_image', message_groups.group_image, 'last_message',
      messages.body, 'last_message_time', (step.entry ->> 1), 'initial_customer_id', starter.id,
      'initial_customer_name', starter.name, 'initial_customer_avatar', starter.avatar,
      'last_customer', sender.id, 'last_customer_name', sender.name, 'last_customer_avatar',
      sender.avatar, 'read_status',
      iif(sender.key = step.caller OR message_states.read_at >= (step.entry ->> 1), 1, 0),
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
              WHERE friendships.low_key = min(step.caller, customers.key)
                AND friendships.high_key = max(step.caller, customers.key)
            ),
            -1
          ) AS friend_status,
          customers.balance AS balance,
          EXISTS (
            SELECT 1
            FROM blocks
            WHERE blocks.customer_key = step.caller AND blocks.blocked_key = customers.key
          ) AS is_blocked
        FROM message_group_members AS member
        CROSS JOIN customers ON customers.key = member.customer_key
        WHERE member.group_key = message_groups.key AND member.customer_key <> step.caller
        ORDER BY member.position
      )
    ) AS "nameAndMembers"
  FROM step
  CROSS JOIN message_groups ON message_groups.key = (step.entry ->> 0)
  CROSS JOIN messages
    ON messages.id = iif((step.entry ->> 2), message_groups.newest_id, message_groups.earlier_id)
  CROSS JOIN customers AS starter ON starter.key = message_groups.initial_customer_key
  CROSS JOIN customers AS sender ON sender.key = messages.customer_key
  LEFT JOIN message_states
    ON message_states.group_key = message_groups.key
    AND message_states.customer_key = step.caller
  WHERE step.entries_left > 0
    AND step.sent_bytes + step.shared_bytes + coalesce(octet_length(step.record), 0) + coalesce(octet_length(step."nameAndMembers"), 0) < 1048576
    AND step.number < ?
)
SELECT group_id, last_message_time, record, "nameAndMembers", entries_left
FROM step
WHERE number > 0

--  CO-ROUTINE step
--    SETUP
--      MATERIALIZE listed
--        CO-ROUTINE (subquery)
--          MERGE (UNION ALL)
--            LEFT
--              SEARCH message_group_news USING PRIMARY KEY (customer_key=? AND newest_at>? AND newest_at<?)
--              SCALAR SUBQUERY
--                SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--              SCALAR SUBQUERY
--                SCAN program_state
--            RIGHT
--              SEARCH message_group_news USING PRIMARY KEY (customer_key=? AND newest_at=?)
--              SCALAR SUBQUERY
--                SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--              SCALAR SUBQUERY
--                SCAN program_state
--              SEARCH message_groups USING INTEGER PRIMARY KEY (rowid=?)
--              USE TEMP B-TREE FOR ORDER BY
--        SCAN (subquery)
--      SCAN listed
--      SCALAR SUBQUERY
--        SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--    RECURSIVE STEP
--      SCAN step
--      SEARCH message_groups USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH messages USING PRIMARY KEY (id=?)
--      SEARCH starter USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH sender USING INTEGER PRIMARY KEY (rowid=?)
--      SEARCH message_states USING PRIMARY KEY (group_key=? AND customer_key=?) LEFT-JOIN
--      SCALAR SUBQUERY
--        SCAN listed
--      CORRELATED SCALAR SUBQUERY
--        CO-ROUTINE (subquery)
--          SEARCH member USING PRIMARY KEY (group_key=?)
--          SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--          CORRELATED SCALAR SUBQUERY
--            SEARCH friendships USING PRIMARY KEY (low_key=? AND high_key=?)
--          CORRELATED SCALAR SUBQUERY
--            SEARCH blocks USING PRIMARY KEY (customer_key=? AND blocked_key=?)
--          USE TEMP B-TREE FOR ORDER BY
--        SCAN (subquery)
--  SCAN step
