-- A customer who has registered for a campaign. By customer, because a search result counts a customer's registrations.
CREATE TABLE registrations (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_key, campaign_key)
) WITHOUT ROWID;

-- The registrations for campaigns that run now.
CREATE VIEW running_registrations AS
SELECT registrations.customer_key, running_campaigns.account_key
FROM registrations CROSS JOIN running_campaigns ON running_campaigns.key = registrations.campaign_key;
