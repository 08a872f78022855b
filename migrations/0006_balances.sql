-- An event: an amount booked for a customer at a store.
CREATE TABLE balance_entries (
  id TEXT PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: booked on no campaign
  amount INTEGER NOT NULL, -- in hundredths; a negative one takes away
  created_at TEXT NOT NULL
) WITHOUT ROWID;

-- Derived: the sum of a customer's entries at a store, whether the customer has joined the store or not. The feed adds
-- to it, once a request. By customer, because a customer asks for all of theirs.
CREATE TABLE store_balances (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER NOT NULL, -- in hundredths
  balance_opening INTEGER, -- of that, what entries added that have left for history; NULL: none has. Sealing adds
  PRIMARY KEY (customer_key, store_key),
  CONSTRAINT store_balance CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991)
) WITHOUT ROWID;
