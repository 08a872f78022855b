-- Amounts are in hundredths. Without a rowid: an entry is one row written.
CREATE TABLE balance_entries (
  id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  store_id TEXT NOT NULL REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED,
  campaign_id TEXT REFERENCES campaigns (id) DEFERRABLE INITIALLY DEFERRED,
  amount INTEGER NOT NULL,
  created_at TEXT NOT NULL
) WITHOUT ROWID;

-- What a customer's entries at a store come to, in hundredths, whether the customer has joined the store or not.
CREATE TABLE store_balances (
  store_id TEXT NOT NULL REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED,
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER NOT NULL,
  PRIMARY KEY (store_id, customer_id)
) WITHOUT ROWID;
