-- The customers whose apps poll or hold a socket. Only their inboxes are notified.
CREATE TABLE listeners (
  customer_id TEXT PRIMARY KEY, -- as in the token, whether the customer is stored or not
  until TEXT NOT NULL -- listens until this time
) WITHOUT ROWID;

-- Changes that listeners' inboxes have not been notified of yet. Triggers write the rows in the transaction of
-- the change, so no change is lost, and a line that changes nothing notifies nobody.
CREATE TABLE outbox (
  version INTEGER NOT NULL, -- the feed version of the change
  topic TEXT NOT NULL, -- messages, coupons, balance, or erased: the customer was erased
  customers TEXT NOT NULL, -- JSON: the ids of the listeners whom the change concerns, or of the erased customer
  newest_at TEXT NOT NULL, -- the time of the newest message, for inboxes; empty: the change is about no message
  stored_at TEXT NOT NULL, -- when the row was written
  PRIMARY KEY (version, topic, customers)
) WITHOUT ROWID;

-- Always empty. A trigger inserts a row here to notify the listeners among some customers.
CREATE VIEW changes AS
SELECT '[]' AS customer_keys, '' AS topic, '' AS newest_at WHERE false;

CREATE TRIGGER changes_fill_the_outbox INSTEAD OF INSERT ON changes
BEGIN
  INSERT INTO outbox (version, topic, customers, newest_at, stored_at)
  SELECT program_state.version, NEW.topic, json_group_array(customers.id), NEW.newest_at, clock.now
  FROM json_each(NEW.customer_keys) AS item CROSS JOIN customers ON customers.key = item.value
  CROSS JOIN listeners ON listeners.customer_id = customers.id CROSS JOIN program_state CROSS JOIN clock
  WHERE listeners.until > clock.now
  HAVING count(*) > 0
  ON CONFLICT DO UPDATE SET newest_at = excluded.newest_at WHERE excluded.newest_at > newest_at;
END;

-- A message that loses its body concerns the members of its group.
CREATE TRIGGER outbox_of_emptied_messages AFTER UPDATE OF body ON messages
BEGIN
  INSERT INTO changes (customer_keys, topic, newest_at)
  SELECT json_group_array(customer_key), 'messages', NEW.sent_at
  FROM message_group_members WHERE group_key = NEW.group_key;
END;

-- A coupon concerns the customer who holds it.
CREATE TRIGGER outbox_of_issued_coupons AFTER INSERT ON customer_coupons
BEGIN
  INSERT INTO changes (customer_keys, topic, newest_at) VALUES (json_array(NEW.customer_key), 'coupons', '');
END;
CREATE TRIGGER outbox_of_changed_coupons AFTER UPDATE ON customer_coupons
BEGIN
  INSERT INTO changes (customer_keys, topic, newest_at) VALUES (json_array(NEW.customer_key), 'coupons', '');
END;

CREATE TRIGGER outbox_of_balances AFTER UPDATE OF balance ON customers
BEGIN
  INSERT INTO changes (customer_keys, topic, newest_at) VALUES (json_array(NEW.key), 'balance', '');
END;
