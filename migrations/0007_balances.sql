-- An event: an amount booked for a customer at a store. In every table of events, a row whose id begins with `sealed:`
-- is a summary: it adds up old events that were deleted, and has the time of the newest of them.
CREATE TABLE balance_entries (
  id TEXT PRIMARY KEY,
  customer_key INTEGER REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: the summary of a campaign
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: no campaign
  amount INTEGER NOT NULL, -- in hundredths, may be negative
  created_at TEXT NOT NULL,
  -- Why it was booked. In a summary: the number of the step (program_state) that last added to it, so that the next page
  -- of a list of entries notices that entries were added up since the first page.
  description TEXT NOT NULL,
  request INTEGER -- the version of the request that stored it; NULL: a summary
) WITHOUT ROWID;

-- For a customer's list of entries, newest first.
CREATE INDEX balance_entries_by_customer ON balance_entries (customer_key, created_at) WHERE id NOT GLOB 'sealed:*';

-- Derived: the sum of a customer's entries at a store, joined or not. The feed adds to it.
CREATE TABLE store_balances (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER NOT NULL, -- in hundredths
  PRIMARY KEY (customer_key, store_key),
  -- The largest integer that is exact in JavaScript. A line that goes beyond it is bad.
  CONSTRAINT store_balance CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991)
) WITHOUT ROWID;

-- Derived: what a customer has at an account. So no answer adds up stores, of which a customer may have any number. Triggers
-- follow balances and memberships.
CREATE TABLE customer_accounts (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER, -- the sum of the customer's balances at its stores, in hundredths; NULL: not an entry at any
  stores_count INTEGER NOT NULL, -- the stores joined, soft-deleted ones included
  PRIMARY KEY (customer_key, account_key)
) WITHOUT ROWID;

CREATE TRIGGER store_balances_insert AFTER INSERT ON store_balances
BEGIN
  INSERT INTO customer_accounts (customer_key, account_key, balance, stores_count)
  SELECT NEW.customer_key, account_key, NEW.balance, 0 FROM stores WHERE key = NEW.store_key
  ON CONFLICT DO UPDATE SET balance = ifnull(balance, 0) + excluded.balance;
END;

CREATE TRIGGER store_balances_update AFTER UPDATE OF balance ON store_balances
BEGIN
  UPDATE customer_accounts SET balance = balance + NEW.balance - OLD.balance
  WHERE customer_key = NEW.customer_key
    AND account_key = (SELECT account_key FROM stores WHERE key = NEW.store_key);
END;
