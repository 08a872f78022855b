-- Two customers who are friends, or one has asked the other. The smaller key is `low_key`, so a pair is stored once.
CREATE TABLE friendships (
  low_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  high_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  status INTEGER NOT NULL, -- 1: friends, 0: the request is pending
  PRIMARY KEY (low_key, high_key)
) WITHOUT ROWID;

CREATE INDEX friendships_by_high_key ON friendships (high_key); -- for an erasure

-- A customer who has blocked another. Group names leave out the blocked customer, whose searches do not find the other.
CREATE TABLE blocks (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  blocked_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_key, blocked_key)
) WITHOUT ROWID;

CREATE INDEX blocks_by_blocked_key ON blocks (blocked_key); -- for an erasure
