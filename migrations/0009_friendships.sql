-- A pair has no order: the id that comes first by code point stands in `low_id`. `status` is 1 for friends, 0 for a
-- request that is pending.
CREATE TABLE friendships (
  low_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  high_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  status INTEGER NOT NULL,
  PRIMARY KEY (low_id, high_id)
) WITHOUT ROWID;

CREATE INDEX friendships_by_high_id ON friendships (high_id);

CREATE TABLE blocks (
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  blocked_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_id, blocked_id)
) WITHOUT ROWID;

CREATE INDEX blocks_by_blocked_id ON blocks (blocked_id);

CREATE TRIGGER customers_erase_friendships AFTER UPDATE OF erased ON customers
WHEN OLD.erased = 0 AND NEW.erased = 1
BEGIN
  DELETE FROM friendships WHERE low_id = NEW.id;
  DELETE FROM friendships WHERE high_id = NEW.id;
  DELETE FROM blocks WHERE customer_id = NEW.id;
  DELETE FROM blocks WHERE blocked_id = NEW.id;
END;
