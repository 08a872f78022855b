SELECT iif(
  ? = ?, 1,
  EXISTS (
    SELECT 1
    FROM customers AS caller
    CROSS JOIN memberships AS caller_membership
      ON caller.id = ?
      AND caller_membership.store_key = visible_stores.key
      AND caller_membership.customer_key = caller.key
      AND +caller_membership.joined = 1
    CROSS JOIN customers AS root
    CROSS JOIN (VALUES (1), (2), (3), (4), (5)) AS level
    CROSS JOIN team_links AS root_link
      ON root.id = ?
      AND root_link.store_key = caller_membership.store_key
      AND root_link.ancestor_key = caller_membership.customer_key
      AND root_link.joined = 1
      AND root_link.depth = level.column1
      AND root_link.name = root.name
      AND root_link.descendant_id = root.id
  )
) AS "isRootInCallersTeam"
FROM visible_stores
WHERE visible_stores.id = ?

--  SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH caller USING COVERING INDEX sqlite_autoindex_customers_1 (id=?)
--    SEARCH caller_membership USING PRIMARY KEY (store_key=? AND customer_key=?)
--    SEARCH root USING INDEX sqlite_autoindex_customers_1 (id=?)
--    SCAN 5-ROW VALUES CLAUSE
--    SEARCH root_link USING PRIMARY KEY (store_key=? AND ancestor_key=? AND joined=? AND depth=? AND name=? AND descendant_id=?)
