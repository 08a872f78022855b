-- An event: an amount booked for a customer at a store. An id that begins with `sealed:` is of a row that stands for events
-- which have left for history: in each event's table its columns add up theirs, and its time is that of the newest.
CREATE TABLE balance_entries (
  id TEXT PRIMARY KEY,
  customer_key INTEGER REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: stands for a campaign's events
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: booked on no campaign
  amount INTEGER NOT NULL, -- in hundredths; a negative one takes away
  created_at TEXT NOT NULL,
  -- Why it was booked. Of a row that stands for others: the feed version when it last grew, by which a reader of the list
  -- sees that entries have left.
  description TEXT NOT NULL
) WITHOUT ROWID;

-- For a customer's list of entries, newest first.
CREATE INDEX balance_entries_by_customer ON balance_entries (customer_key, created_at) WHERE id NOT GLOB 'sealed:*';

-- Derived: the sum of a customer's entries at a store, whether the customer has joined the store or not. The feed adds
-- to it, once a request. By customer, because a customer asks for all of theirs.
CREATE TABLE store_balances (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER NOT NULL, -- in hundredths
  PRIMARY KEY (customer_key, store_key),
  CONSTRAINT store_balance CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991)
) WITHOUT ROWID;
