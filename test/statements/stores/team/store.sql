SELECT iif(
  ?1 = ?2, 1,
  EXISTS (
    SELECT 1
    FROM memberships AS root_membership
    CROSS JOIN customers AS root ON root.id = ?1
    CROSS JOIN team_links
      ON team_links.store_key = visible_stores.key
      AND team_links.ancestor_key = (
        SELECT customers.member_key
        FROM customers
        WHERE customers.id = ?2
      )
      AND team_links.joined = 1
      AND team_links.depth IN (?3, ?4, ?5, ?6, ?7)
      AND team_links.name = root.name
      AND team_links.descendant_id = root.id
      AND team_links.descendant_key = root.member_key
    WHERE root_membership.store_key = visible_stores.key
      AND root_membership.member_key = (
        SELECT customers.member_key
        FROM customers
        WHERE customers.id = ?2
      )
      AND +root_membership.joined = 1
  )
) AS `isRootInCallersTeam`
FROM visible_stores
WHERE visible_stores.id = ?8

--  SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--  CORRELATED SCALAR SUBQUERY
--    SEARCH root_membership USING PRIMARY KEY (store_key=? AND member_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
--    SEARCH root USING INDEX sqlite_autoindex_customers_1 (id=?)
--    SEARCH team_links USING PRIMARY KEY (store_key=? AND ancestor_key=? AND joined=? AND depth=? AND name=? AND descendant_id=? AND descendant_key=?)
--    SCALAR SUBQUERY
--      SEARCH customers USING INDEX sqlite_autoindex_customers_1 (id=?)
