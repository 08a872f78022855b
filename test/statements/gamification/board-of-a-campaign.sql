WITH location AS MATERIALIZED (
  SELECT visible_stores.key AS key, visible_stores.account_key AS account_key
  FROM visible_stores
  WHERE visible_stores.id = ?1
),
campaign AS MATERIALIZED (
  SELECT visible_eip_campaigns.key AS key
  FROM location
  CROSS JOIN visible_eip_campaigns ON visible_eip_campaigns.account_key = location.account_key
  WHERE visible_eip_campaigns.id = ?2
),
total AS MATERIALIZED (
  SELECT play_totals.employee_key AS key,
    play_totals.runs AS runs,
    play_totals.hits AS hits,
    play_totals.doubles AS doubles,
    play_totals.triples AS triples
  FROM location
  CROSS JOIN campaign
  CROSS JOIN play_totals
    ON play_totals.location_key = location.key
    AND play_totals.eip_campaign_key = campaign.key
  WHERE NOT EXISTS (
    SELECT 1
    FROM employees INDEXED BY employees_deleted
    WHERE employees.deleted = 1 AND employees.key = play_totals.employee_key
  )
),
leader AS (
  SELECT total.*
  FROM total
  CROSS JOIN employees ON employees.key = total.key
  WHERE total.hits >= coalesce(
    (SELECT hits FROM total ORDER BY hits DESC LIMIT 1 OFFSET ?3 - 1), total.hits
  )
  ORDER BY total.hits DESC, employees.name, employees.id
  LIMIT 0 + ?3
)
SELECT known AS known,
  employees.id AS id,
  employees.name AS name,
  employees.avatar AS avatar,
  leader.runs AS runs,
  leader.hits AS hits,
  leader.doubles AS doubles,
  leader.triples AS triples
FROM (SELECT EXISTS (SELECT 1 FROM campaign) AS known)
LEFT JOIN leader
LEFT JOIN employees ON employees.key = leader.key
ORDER BY leader.hits DESC, employees.name, employees.id

--  CO-ROUTINE (subquery)
--    SCAN CONSTANT ROW
--    SCALAR SUBQUERY
--      MATERIALIZE campaign
--        MATERIALIZE location
--          SEARCH stores USING INDEX sqlite_autoindex_stores_1 (id=?)
--          CORRELATED SCALAR SUBQUERY
--            SEARCH accounts USING COVERING INDEX accounts_deleted (deleted=? AND rowid=?)
--        SCAN location
--        SEARCH eip_campaigns USING INDEX sqlite_autoindex_eip_campaigns_1 (id=?)
--      SCAN campaign
--  MATERIALIZE leader
--    MATERIALIZE total
--      SCAN location
--      SCAN campaign
--      SEARCH play_totals USING PRIMARY KEY (location_key=? AND eip_campaign_key=?)
--      CORRELATED SCALAR SUBQUERY
--        SEARCH employees USING COVERING INDEX employees_deleted (deleted=? AND rowid=?)
--    SCAN total
--    SCALAR SUBQUERY
--      SCAN total
--      USE TEMP B-TREE FOR ORDER BY
--    SEARCH employees USING INTEGER PRIMARY KEY (rowid=?)
--    USE TEMP B-TREE FOR ORDER BY
--  SCAN (subquery)
--  SCAN leader LEFT-JOIN
--  SEARCH employees USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
--  USE TEMP B-TREE FOR ORDER BY
