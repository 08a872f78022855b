WITH mark AS MATERIALIZED (
  SELECT shown.group_key,
    shown.customer_key,
    message_states.read_at AS old_read_at,
    message_states.notifications_disabled AS old_disabled,
    nullif(
      max(coalesce(message_states.read_at, ''), coalesce(min(?1, shown.at), '')), ''
    ) AS read_at,
    coalesce(?2, message_states.notifications_disabled, 0) AS disabled
  FROM (
    SELECT message_group_members.group_key AS group_key,
      message_group_members.customer_key AS customer_key,
      iif(
        message_groups.newest_at < (SELECT program_state.stamp AS stamp FROM program_state),
        message_groups.newest_at, message_groups.earlier_at
      ) AS at,
      message_groups.newest_at < (
        SELECT program_state.stamp AS stamp
        FROM program_state
      ) AS is_newest
    FROM message_groups
    CROSS JOIN message_group_members ON message_group_members.group_key = message_groups.key
    WHERE message_groups.id = ?3
      AND message_group_members.customer_key = (
        SELECT customers.key
        FROM customers
        WHERE customers.id = ?4
      )
      AND iif(
        message_groups.newest_at < (SELECT program_state.stamp AS stamp FROM program_state),
        message_groups.newest_at, message_groups.earlier_at
      ) IS NOT NULL
  ) AS shown
  LEFT JOIN message_states
    ON message_states.group_key = shown.group_key
    AND message_states.customer_key = shown.customer_key
) UPDATE program_state
SET version = program_state.version + 1, act = ?5, restorable = 0
WHERE EXISTS (
  SELECT 1
  FROM mark
  WHERE (read_at, disabled) IS NOT (old_read_at, coalesce(old_disabled, 0))
)

--  SCAN program_state
--  SCALAR SUBQUERY
--    MATERIALIZE mark
--      SEARCH message_groups USING INDEX sqlite_autoindex_message_groups_1 (id=?)
--      SCALAR SUBQUERY
--        SCAN program_state
--      SEARCH message_group_members USING PRIMARY KEY (group_key=? AND customer_key=?)
--      SCALAR SUBQUERY
--        SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--      SEARCH message_states USING PRIMARY KEY (group_key=? AND customer_key=?) LEFT-JOIN
--      SCALAR SUBQUERY
--        SCAN program_state
--    SCAN mark
