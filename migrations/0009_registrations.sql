-- A customer who has registered for a campaign. By customer, because a search result counts a customer's registrations.
CREATE TABLE registrations (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_key, campaign_key)
) WITHOUT ROWID;
