-- A customer who has registered for a campaign. By customer, because a search result counts a customer's registrations.
CREATE TABLE registrations (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_key, campaign_key)
) WITHOUT ROWID;

-- The accounts where a customer has joined a visible store.
CREATE VIEW joined_accounts AS
SELECT customer_key, account_key FROM holdings
WHERE joined_a_store AND NOT EXISTS (
  SELECT 1 FROM accounts INDEXED BY accounts_deleted WHERE accounts.deleted = 1 AND accounts.key = holdings.account_key
);

-- How many campaigns run now at the accounts of the stores that a customer has joined, and for how many of them the
-- customer has registered. A customer may have joined everything, so the counts look at the first 100 visible stores of the
-- first 1,000 joined, the first 100 registrations, and 2,000 campaigns. Of a customer with at most 100 stores, as nearly all
-- have, these are all stores.
CREATE VIEW campaigns_of_customers AS
SELECT
  customers.key,
  iif(stores_count <= 100, (
    SELECT count(running) FROM (
      SELECT iif(starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock), 1, NULL) AS running
      FROM joined_accounts CROSS JOIN campaigns ON campaigns.account_key = joined_accounts.account_key
      WHERE joined_accounts.customer_key = customers.key AND campaigns.deleted = 0 AND status = 1
      LIMIT 2000
    )
  ), (
    SELECT count(running) FROM (
      SELECT iif(starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock), 1, NULL) AS running
      FROM campaigns
      WHERE campaigns.deleted = 0 AND status = 1
        AND account_key IN (
          SELECT account_key FROM (
            SELECT store_key FROM memberships
            WHERE memberships.customer_key = customers.key AND joined = 1 ORDER BY store_key LIMIT 1000
          ) AS joined_first CROSS JOIN visible_stores ON visible_stores.key = joined_first.store_key LIMIT 100
        )
      LIMIT 2000
    )
  )) AS campaigns_total,
  iif(NOT EXISTS (SELECT 1 FROM registrations WHERE registrations.customer_key = customers.key), 0,
    iif(stores_count <= 100, (
      SELECT count(*) FROM (
        SELECT campaign_key FROM registrations
        WHERE registrations.customer_key = customers.key ORDER BY campaign_key LIMIT 100
      ) AS registered_first CROSS JOIN running_campaigns ON running_campaigns.key = registered_first.campaign_key
      WHERE EXISTS (
        SELECT 1 FROM joined_accounts
        WHERE joined_accounts.customer_key = customers.key AND joined_accounts.account_key = running_campaigns.account_key
      )
    ), (
      -- Sorting both by account reads each once. A list after IN would be read again for each registration.
      SELECT ifnull(sum(registered), 0) FROM (
        SELECT sum(registered) AS registered FROM (
          SELECT account_key, 1 AS registered FROM (
            SELECT campaign_key FROM registrations
            WHERE registrations.customer_key = customers.key ORDER BY campaign_key LIMIT 100
          ) AS registered_first CROSS JOIN running_campaigns ON running_campaigns.key = registered_first.campaign_key
          UNION ALL
          SELECT account_key, 0 FROM (
            SELECT account_key FROM (
              SELECT store_key FROM memberships
              WHERE memberships.customer_key = customers.key AND joined = 1 ORDER BY store_key LIMIT 1000
            ) AS joined_first CROSS JOIN visible_stores ON visible_stores.key = joined_first.store_key LIMIT 100
          )
        )
        GROUP BY account_key HAVING min(registered) = 0
      )
    ))
  ) AS campaigns_registered
FROM customers;
