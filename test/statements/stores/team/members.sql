SELECT team_links.descendant_id AS id,
  team_links.name AS name,
  visible_customers.customer_description AS customer_description,
  coalesce(
    (
      SELECT friendships.status
      FROM friendships
      WHERE friendships.low_key = min(
        (SELECT customers.key FROM customers WHERE customers.id = ?1), visible_customers.key
      )
        AND friendships.high_key = max(
          (SELECT customers.key FROM customers WHERE customers.id = ?1), visible_customers.key
        )
    ),
    -1
  ) AS friend_status,
  visible_customers.stores_joined AS team_store_count,
  visible_customers.avatar AS avatar,
  coalesce(store_balances.balance, 0) AS total_balance,
  team_links.depth AS current_level,
  json_array(
    json_array(memberships.members_1, memberships.tokens_1),
    json_array(memberships.members_2, memberships.tokens_2),
    json_array(memberships.members_3, memberships.tokens_3),
    json_array(memberships.members_4, memberships.tokens_4),
    json_array(memberships.members_5, memberships.tokens_5)
  ) AS levels
FROM (
  SELECT team_links.store_key AS store_key,
    team_links.depth AS depth,
    team_links.name AS name,
    team_links.descendant_id AS descendant_id,
    team_links.descendant_key AS descendant_key
  FROM visible_stores
  CROSS JOIN memberships AS root_membership
    ON root_membership.store_key = visible_stores.key
    AND root_membership.member_key = (
      SELECT customers.member_key
      FROM customers
      WHERE customers.id = ?2
    )
    AND +root_membership.joined = 1
  CROSS JOIN team_links
    ON team_links.store_key = visible_stores.key
    AND team_links.ancestor_key = root_membership.member_key
    AND team_links.joined = 1
    AND team_links.depth BETWEEN ?3
    AND ?4
    AND (team_links.depth, team_links.name, team_links.descendant_id) > (?5, ?6, ?7)
  WHERE visible_stores.id = ?8
  ORDER BY team_links.depth, team_links.name, team_links.descendant_id
  LIMIT 0 + 1 + ?9 OFFSET ?10
) AS team_links
CROSS JOIN memberships
  ON memberships.store_key = team_links.store_key
  AND memberships.member_key = team_links.descendant_key
CROSS JOIN visible_customers ON visible_customers.key = memberships.customer_key
LEFT JOIN store_balances
  ON store_balances.store_key = team_links.store_key
  AND store_balances.customer_key = memberships.customer_key
ORDER BY team_links.depth, team_links.name, team_links.descendant_id

--  CO-ROUTINE team_links
--    SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--    SEARCH root_membership USING PRIMARY KEY (store_key=? AND member_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--    SEARCH team_links USING PRIMARY KEY (store_key=? AND ancestor_key=? AND joined=? AND (depth,name,descendant_id)>(?,?,?) AND depth<?)
--    REUSE SUBQUERY
--  SCAN team_links
--  SEARCH memberships USING PRIMARY KEY (store_key=? AND member_key=?)
--  SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
--  SEARCH store_balances USING PRIMARY KEY (customer_key=? AND store_key=?) LEFT-JOIN
--  CORRELATED SCALAR SUBQUERY
--    SEARCH friendships USING PRIMARY KEY (low_key=? AND high_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH stores USING COVERING INDEX stores_deleted (deleted=?)
--    SEARCH memberships USING PRIMARY KEY (store_key=? AND member_key=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--    SEARCH stores USING COVERING INDEX stores_deleted (deleted=? AND rowid=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE (subquery)
--      SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--    SCAN (subquery)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=?)
--    SEARCH customer_accounts USING PRIMARY KEY (customer_key=? AND account_key=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH customer_accounts USING PRIMARY KEY (customer_key=?)
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=?)
--    CORRELATED SCALAR SUBQUERY
--      SEARCH memberships USING INDEX memberships_by_customer (customer_key=? AND joined=?)
--      SEARCH stores USING COVERING INDEX stores_deleted_of_account (account_key=? AND rowid=?)
