-- How many feed requests have been committed, in its only row. An inbox tells by it whether what it was told came before
-- what was read (docs/contract/live.md, 1).
CREATE TABLE feed_version (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  restorable INTEGER NOT NULL, -- 1: all of them were restores, if there were any, so that another one is taken
  CONSTRAINT feed_version_has_one_row CHECK (id = 1)
);

INSERT INTO feed_version (id, version, restorable) VALUES (1, 0, 1);

-- The customers whose apps poll or hold a socket. Only their inboxes are told of changes.
CREATE TABLE listeners (
  customer_id TEXT PRIMARY KEY, -- as in the token, whether the customer is stored or not
  until TEXT NOT NULL -- listens until this time
) WITHOUT ROWID;

-- The listeners who are stored, with their keys.
CREATE VIEW listening_customers AS
SELECT customers.key, customers.id
FROM customers CROSS JOIN listeners ON listeners.customer_id = customers.id
WHERE listeners.until > (SELECT now FROM clock);

-- What the inboxes of listeners are still to be told. The triggers below fill it in the transaction that changes
-- something, so nothing that was committed is forgotten, and what concerns no listener writes nothing.
CREATE TABLE outbox (
  version INTEGER NOT NULL, -- the feed version that changed it
  what TEXT NOT NULL, -- messages, coupons or balance
  customers TEXT NOT NULL, -- JSON: the ids of the listeners whom it concerns
  stored_at TEXT NOT NULL,
  PRIMARY KEY (version, what, customers)
) WITHOUT ROWID;

-- How many milliseconds remain until the newest messages are shown, by D1's clock: the rest of their second.
CREATE VIEW message_wait AS
SELECT max(0, (unixepoch(message_clock.clock_said) + 1 - unixepoch(clock.now)) * 1000 - clock.millisecond) AS milliseconds
FROM clock CROSS JOIN message_clock;

-- A message that its group shows concerns the members: one row a group and request.
CREATE TRIGGER outbox_of_messages AFTER UPDATE OF newest_id, earlier_id ON message_groups
WHEN OLD.newest_id IS NOT NEW.newest_id OR OLD.earlier_id IS NOT NEW.earlier_id
BEGIN
  INSERT INTO outbox (version, what, customers, stored_at)
  SELECT feed_version.version, 'messages', told.ids, clock.now
  FROM (
    SELECT json_group_array(listening.id) AS ids
    FROM message_group_members AS member
    CROSS JOIN listening_customers AS listening ON listening.key = member.customer_key
    WHERE member.group_key = NEW.key
    HAVING count(*) > 0
  ) AS told CROSS JOIN feed_version CROSS JOIN clock
  WHERE true
  ON CONFLICT DO NOTHING;
END;

-- A new member sees a group that was not there before.
CREATE TRIGGER outbox_of_new_members AFTER INSERT ON message_group_members
BEGIN
  INSERT INTO outbox (version, what, customers, stored_at)
  SELECT feed_version.version, 'messages', json_array(listening.id), clock.now
  FROM listening_customers AS listening CROSS JOIN feed_version CROSS JOIN clock
  WHERE listening.key = NEW.customer_key
  ON CONFLICT DO NOTHING;
END;

-- Who is a member no longer, or whose group is removed, sees it no longer.
CREATE TRIGGER outbox_of_former_members AFTER DELETE ON message_group_members
BEGIN
  INSERT INTO outbox (version, what, customers, stored_at)
  SELECT feed_version.version, 'messages', json_array(listening.id), clock.now
  FROM listening_customers AS listening CROSS JOIN feed_version CROSS JOIN clock
  WHERE listening.key = OLD.customer_key
  ON CONFLICT DO NOTHING;
END;

-- A coupon that is issued concerns the customer who holds it.
CREATE TRIGGER outbox_of_issued_coupons AFTER INSERT ON customer_coupons
BEGIN
  INSERT INTO outbox (version, what, customers, stored_at)
  SELECT feed_version.version, 'coupons', json_array(listening.id), clock.now
  FROM listening_customers AS listening CROSS JOIN feed_version CROSS JOIN clock
  WHERE listening.key = NEW.customer_key
  ON CONFLICT DO NOTHING;
END;

-- The same for one that is changed.
CREATE TRIGGER outbox_of_changed_coupons AFTER UPDATE ON customer_coupons
BEGIN
  INSERT INTO outbox (version, what, customers, stored_at)
  SELECT feed_version.version, 'coupons', json_array(listening.id), clock.now
  FROM listening_customers AS listening CROSS JOIN feed_version CROSS JOIN clock
  WHERE listening.key = NEW.customer_key
  ON CONFLICT DO NOTHING;
END;

-- The same for one that is withdrawn.
CREATE TRIGGER outbox_of_withdrawn_coupons AFTER DELETE ON customer_coupons
BEGIN
  INSERT INTO outbox (version, what, customers, stored_at)
  SELECT feed_version.version, 'coupons', json_array(listening.id), clock.now
  FROM listening_customers AS listening CROSS JOIN feed_version CROSS JOIN clock
  WHERE listening.key = OLD.customer_key
  ON CONFLICT DO NOTHING;
END;

-- The feed adds new balance entries to a customer's balance once a request, whatever they sum to.
CREATE TRIGGER outbox_of_balances AFTER UPDATE OF balance ON customers
BEGIN
  INSERT INTO outbox (version, what, customers, stored_at)
  SELECT feed_version.version, 'balance', json_array(listening.id), clock.now
  FROM listening_customers AS listening CROSS JOIN feed_version CROSS JOIN clock
  WHERE listening.key = NEW.key
  ON CONFLICT DO NOTHING;
END;
