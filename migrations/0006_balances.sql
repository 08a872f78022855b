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
-- to it, once a request.
CREATE TABLE store_balances (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER NOT NULL, -- in hundredths
  PRIMARY KEY (store_key, customer_key)
) WITHOUT ROWID;

-- Reports a total that passes the limit. After the insert: before it, the trigger would see what is added to a stored row,
-- and not the sum.
CREATE TRIGGER store_balances_limit_insert AFTER INSERT ON store_balances
WHEN NEW.balance NOT BETWEEN -7000000000000000 AND 7000000000000000
BEGIN
  INSERT INTO excesses (record, field, whose, total, largest)
  SELECT 'balance_entry', 'amount', json_object(
    'store_id', (SELECT id FROM stores WHERE key = NEW.store_key),
    'customer_id', (SELECT id FROM customers WHERE key = NEW.customer_key)
  ), NEW.balance, 7000000000000000;
END;

-- The same where the row is stored already, and where it comes back.
CREATE TRIGGER store_balances_limit_update AFTER UPDATE OF balance ON store_balances
WHEN NEW.balance NOT BETWEEN -7000000000000000 AND 7000000000000000
  OR OLD.balance NOT BETWEEN -7000000000000000 AND 7000000000000000
BEGIN
  INSERT INTO excesses (record, field, whose, total, largest)
  SELECT 'balance_entry', 'amount', json_object(
    'store_id', (SELECT id FROM stores WHERE key = NEW.store_key),
    'customer_id', (SELECT id FROM customers WHERE key = NEW.customer_key)
  ), NEW.balance, 7000000000000000;
END;
