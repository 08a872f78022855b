WITH store_band AS (
  SELECT visible_accounts.key AS account_key,
    (
      SELECT min(stores.band)
      FROM stores INDEXED BY stores_by_position
      WHERE stores.account_key = visible_accounts.key AND stores.band >= ?1
    ) AS band
  FROM visible_accounts
  WHERE visible_accounts.id = ?2
  UNION ALL
  SELECT account_key,
    (
      SELECT min(stores.band)
      FROM stores INDEXED BY stores_by_position
      WHERE stores.account_key = store_band.account_key AND stores.band > store_band.band
    )
  FROM store_band
  WHERE store_band.band < ?3
),
near_store AS MATERIALIZED (
  SELECT account_key, key, miles
  FROM (
    SELECT stores.account_key AS account_key,
      stores.key AS key,
      ?4 * asin(
        sqrt(
          min(
            1,
            pow(sin(radians(stores.latitude - ?5) / 2), 2) + cos(radians(?5)) * cos(radians(stores.latitude)) * pow(sin(radians(stores.longitude - ?6) / 2), 2)
          )
        )
      ) AS miles
    FROM store_band
    CROSS JOIN stores INDEXED BY stores_by_position
      ON stores.account_key = store_band.account_key
      AND stores.band = store_band.band
      AND stores.longitude BETWEEN ?7
      AND ?8
      AND stores.deleted = 0
    WHERE store_band.band <= ?3
  )
  WHERE miles <= ?9
  ORDER BY miles
  LIMIT -1
),
way AS MATERIALIZED (
  SELECT account_key,
    EXISTS (SELECT 1 FROM near_store LIMIT 1 OFFSET 4) AND EXISTS (
      SELECT 1
      FROM running_campaigns
      WHERE running_campaigns.account_key = (SELECT account_key FROM near_store LIMIT 1)
      LIMIT 1 OFFSET min(
        20000 / (SELECT count(*) FROM near_store),
        1 + (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM (SELECT key FROM near_store LIMIT 4) AS sample
            CROSS JOIN campaign_earnings ON campaign_earnings.store_key = sample.key
            LIMIT 20000
          )
        ) / 4
      )
    ) AS by_store
  FROM near_store
  LIMIT 1
),
paired AS MATERIALIZED (
  SELECT campaign_key AS key,
    total(earned) AS earned,
    total(iif(is_listed, earned, 0)) AS earned_where_listed,
    min(iif(is_listed, miles, NULL)) AS miles_where_listed
  FROM (
    SELECT *
    FROM (
      SELECT campaign_stores.campaign_key AS campaign_key,
        miles AS miles,
        0 AS earned,
        1 AS is_listed
      FROM near_store
      CROSS JOIN campaign_stores ON campaign_stores.store_key = near_store.key
      LIMIT 10000
    )
    UNION ALL
    SELECT *
    FROM (
      SELECT campaign_earnings.campaign_key AS campaign_key,
        miles AS miles,
        campaign_earnings.earned AS earned,
        EXISTS (
          SELECT 1
          FROM campaign_stores
          WHERE campaign_stores.store_key = near_store.key
            AND campaign_stores.campaign_key = campaign_earnings.campaign_key
        ) AS is_listed
      FROM way
      CROSS JOIN near_store
      CROSS JOIN campaign_earnings ON campaign_earnings.store_key = near_store.key
      WHERE way.by_store
      LIMIT 20000
    )
    UNION ALL
    SELECT campaign_earnings.campaign_key AS campaign_key,
      miles AS miles,
      campaign_earnings.earned AS earned,
      EXISTS (
        SELECT 1
        FROM campaign_stores
        WHERE campaign_stores.store_key = near_store.key
          AND campaign_stores.campaign_key = campaign_earnings.campaign_key
      ) AS is_listed
    FROM running_campaigns
    CROSS JOIN near_store
    CROSS JOIN campaign_earnings
      ON campaign_earnings.store_key = near_store.key
      AND campaign_earnings.campaign_key = running_campaigns.key
    WHERE running_campaigns.account_key = (SELECT account_key FROM way WHERE NOT by_store)
  )
  GROUP BY campaign_key
),
shown AS MATERIALIZED (
  SELECT running_campaigns.key AS key,
    running_campaigns.id AS id,
    iif(running_campaigns.for_all, paired.earned, paired.earned_where_listed) AS earned,
    iif(
      running_campaigns.for_all, (SELECT miles FROM near_store LIMIT 1), paired.miles_where_listed
    ) AS miles
  FROM paired
  CROSS JOIN running_campaigns ON running_campaigns.key = paired.key
  WHERE running_campaigns.account_key = (SELECT account_key FROM way)
    AND (running_campaigns.for_all = 1 OR paired.miles_where_listed IS NOT NULL)
  UNION ALL
  SELECT *
  FROM (
    SELECT running_campaigns.key AS key,
      running_campaigns.id AS id,
      0 AS earned,
      (SELECT miles FROM near_store LIMIT 1) AS miles
    FROM running_campaigns
    WHERE running_campaigns.account_key = (SELECT account_key FROM way)
      AND running_campaigns.for_all = 1
      AND running_campaigns.key NOT IN (SELECT key FROM paired)
    ORDER BY running_campaigns.id
    LIMIT 0 + ?10
  )
  ORDER BY earned DESC, miles, id
  LIMIT 0 + ?10
)
SELECT running_campaigns.name AS name,
  running_campaigns.id AS id,
  running_campaigns.campaign_description AS campaign_description,
  running_campaigns.campaign_image AS campaign_image,
  round(miles, 2) AS distance
FROM shown
CROSS JOIN running_campaigns ON running_campaigns.key = shown.key
ORDER BY earned DESC, miles, running_campaigns.id

--  MATERIALIZE shown
--    MERGE (UNION ALL)
--      LEFT
--        MATERIALIZE paired
--          CO-ROUTINE (subquery)
--            COMPOUND QUERY
--              LEFT-MOST SUBQUERY
--                CO-ROUTINE (subquery)
--                  MATERIALIZE near_store
--                    MATERIALIZE store_band
--                      SETUP
--                        SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (id=?)
--                        CORRELATED SCALAR SUBQUERY
--                          SEARCH stores USING INDEX stores_by_position (account_key=? AND band>?)
--                      RECURSIVE STEP
--                        SCAN store_band
--                        CORRELATED SCALAR SUBQUERY
--                          SEARCH stores USING INDEX stores_by_position (account_key=? AND band>?)
--                    SCAN store_band
--                    SEARCH stores USING INDEX stores_by_position (account_key=? AND band=? AND longitude>? AND longitude<?)
--                    USE TEMP B-TREE FOR ORDER BY
--                  SCAN near_store
--                  SEARCH campaign_stores USING PRIMARY KEY (store_key=?)
--                SCAN (subquery)
--              UNION ALL
--                CO-ROUTINE (subquery)
--                  MATERIALIZE way
--                    SCAN near_store
--                    SCALAR SUBQUERY
--                      SCAN near_store
--                    SCALAR SUBQUERY
--                      SCALAR SUBQUERY
--                        SCAN near_store
--                      SCALAR SUBQUERY
--                        CO-ROUTINE (subquery)
--                          CO-ROUTINE sample
--                            SCAN near_store
--                          SCAN sample
--                          SEARCH campaign_earnings USING PRIMARY KEY (store_key=?)
--                        SCAN (subquery)
--                      SEARCH campaigns USING COVERING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=?)
--                      SCALAR SUBQUERY
--                        SCAN near_store
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                      SCALAR SUBQUERY
--                        CO-ROUTINE clock
--                          SCAN CONSTANT ROW
--                        SCAN clock
--                  SCAN way
--                  SCAN near_store
--                  SEARCH campaign_earnings USING PRIMARY KEY (store_key=?)
--                  CORRELATED SCALAR SUBQUERY
--                    SEARCH campaign_stores USING PRIMARY KEY (store_key=? AND campaign_key=?)
--                SCAN (subquery)
--              UNION ALL
--                SEARCH campaigns USING COVERING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=?)
--                SCALAR SUBQUERY
--                  SCAN way
--                SCALAR SUBQUERY
--                  CO-ROUTINE clock
--                    SCAN CONSTANT ROW
--                  SCAN clock
--                SCALAR SUBQUERY
--                  CO-ROUTINE clock
--                    SCAN CONSTANT ROW
--                  SCAN clock
--                SCAN near_store
--                SEARCH campaign_earnings USING PRIMARY KEY (store_key=? AND campaign_key=?)
--                CORRELATED SCALAR SUBQUERY
--                  SEARCH campaign_stores USING PRIMARY KEY (store_key=? AND campaign_key=?)
--          SCAN (subquery)
--          USE TEMP B-TREE FOR GROUP BY
--        SCAN paired
--        SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--        SCALAR SUBQUERY
--          CO-ROUTINE clock
--            SCAN CONSTANT ROW
--          SCAN clock
--        SCALAR SUBQUERY
--          SCAN way
--        SCALAR SUBQUERY
--          SCAN near_store
--        USE TEMP B-TREE FOR ORDER BY
--      RIGHT
--        CO-ROUTINE (subquery)
--          SEARCH campaigns USING INDEX campaigns_by_account (account_key=? AND deleted=? AND status=? AND for_all=?)
--          SCALAR SUBQUERY
--            SCAN way
--          SCALAR SUBQUERY
--            CO-ROUTINE clock
--              SCAN CONSTANT ROW
--            SCAN clock
--          SCALAR SUBQUERY
--            CO-ROUTINE clock
--              SCAN CONSTANT ROW
--            SCAN clock
--          LIST SUBQUERY
--            SCAN paired
--            CREATE BLOOM FILTER
--          SCALAR SUBQUERY
--            SCAN near_store
--        SCAN (subquery)
--        USE TEMP B-TREE FOR ORDER BY
--  SCAN shown
--  SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  SCALAR SUBQUERY
--    CO-ROUTINE clock
--      SCAN CONSTANT ROW
--    SCAN clock
--  USE TEMP B-TREE FOR LAST TERM OF ORDER BY
