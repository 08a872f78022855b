-- An event: a use of a coupon that a customer holds, or one that gives a use back.
CREATE TABLE redemptions (
  id TEXT PRIMARY KEY,
  customer_coupon_key TEXT NOT NULL REFERENCES customer_coupons (id) DEFERRABLE INITIALLY DEFERRED, -- its id
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED, -- where it was used
  redeemed_at TEXT NOT NULL,
  reverses TEXT, -- the id of the redemption whose use it gives back; NULL: it uses the coupon
  request INTEGER -- the version of the request that stored it
) WITHOUT ROWID;

-- A redemption is reversed once.
CREATE INDEX redemptions_of_coupons ON redemptions (customer_coupon_key, redeemed_at) WHERE reverses IS NULL;

CREATE UNIQUE INDEX redemptions_reversed ON redemptions (reverses) WHERE reverses IS NOT NULL;

-- The holds of tills: each reserves one use of a coupon until a time. A hold that is freed, or has ended, keeps its id used, until
-- a job removes it a day after its end.
CREATE TABLE till_holds (
  id TEXT PRIMARY KEY,
  customer_coupon_key TEXT, -- the id of the coupon; NULL: a till freed an id that nobody had used
  store_key INTEGER, -- where it was held
  held_until TEXT NOT NULL,
  state TEXT NOT NULL -- `held`, `freed` or `redeemed`
) WITHOUT ROWID;

CREATE INDEX till_holds_of_coupons ON till_holds (customer_coupon_key, held_until) WHERE state = 'held';

-- A redemption takes the hold of its id.
CREATE TRIGGER holds_of_redemptions AFTER INSERT ON redemptions WHEN NEW.reverses IS NULL
BEGIN
  UPDATE till_holds SET state = 'redeemed'
  WHERE id = NEW.id AND customer_coupon_key = NEW.customer_coupon_key AND state = 'held';
END;

-- The holds that reserve a use now.
CREATE VIEW live_holds AS
SELECT id, customer_coupon_key FROM till_holds WHERE state = 'held' AND held_until >= (SELECT now FROM clock);

-- A hold concerns the customer of its coupon. A redemption that takes it changes the coupon, which has a trigger of its own.
CREATE TRIGGER outbox_of_holds AFTER INSERT ON till_holds WHEN NEW.state = 'held'
BEGIN
  INSERT INTO changes (customer_keys, topic, newest_at)
  SELECT json_array(customer_key), 'coupons', '' FROM customer_coupons WHERE id = NEW.customer_coupon_key;
END;
CREATE TRIGGER outbox_of_freed_holds AFTER UPDATE OF state ON till_holds WHEN NEW.state = 'freed'
BEGIN
  INSERT INTO changes (customer_keys, topic, newest_at)
  SELECT json_array(customer_key), 'coupons', '' FROM customer_coupons WHERE id = NEW.customer_coupon_key;
END;
