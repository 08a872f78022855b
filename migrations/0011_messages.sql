-- A poll must be able to trust that a second it has been shown gets no more messages. So all
-- messages of a request share one stamp, which is taken here, in the transaction that stores them: `stamp` is the last
-- one given, `clock_said` what D1's clock said then. While the clock stands in that second the stamp stays; once it has
-- moved, the next stamp is greater, even when the clock was set back.
CREATE TABLE message_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  stamp TEXT NOT NULL,
  clock_said TEXT NOT NULL
);

INSERT INTO message_clock (id, stamp, clock_said) VALUES (1, '0000-01-01 00:00:00', '0000-01-01 00:00:00');

-- Stamps before `at` are over: every message of theirs is stored, and each that comes is stamped `at` or later.
CREATE VIEW message_horizon AS
SELECT iif(clock.now > message_clock.clock_said, max(clock.now, datetime(stamp, '+1 second')), stamp) AS at
FROM clock CROSS JOIN message_clock;

-- A group knows its newest message and the newest of an earlier second, which shows until the newest's second is over.
CREATE TABLE message_groups (
  id TEXT PRIMARY KEY,
  initial_customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  group_image TEXT,
  created_at TEXT NOT NULL,
  newest_id TEXT,
  newest_at TEXT,
  earlier_id TEXT,
  earlier_at TEXT
) WITHOUT ROWID;

-- `newest_at` is the group's, so that a caller's groups with news are found without reading the others.
CREATE TABLE message_group_members (
  group_id TEXT NOT NULL REFERENCES message_groups (id) DEFERRABLE INITIALLY DEFERRED,
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  place INTEGER NOT NULL,
  newest_at TEXT,
  PRIMARY KEY (group_id, customer_id)
) WITHOUT ROWID;

CREATE INDEX message_group_members_by_news ON message_group_members (customer_id, newest_at DESC, group_id);

-- Without a reference to the group: messages outlive it, because their ids stay used.
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  group_id TEXT NOT NULL,
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  body TEXT NOT NULL,
  sent_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE message_states (
  group_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  read_at TEXT,
  notifications_disabled INTEGER NOT NULL,
  PRIMARY KEY (group_id, customer_id),
  FOREIGN KEY (group_id, customer_id) REFERENCES message_group_members DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

-- A group is written once a request, however many messages it got; so are its members.
CREATE TRIGGER message_groups_tell_members AFTER UPDATE OF newest_at ON message_groups
WHEN OLD.newest_at IS NOT NEW.newest_at
BEGIN
  UPDATE message_group_members SET newest_at = NEW.newest_at WHERE group_id = NEW.id;
END;

CREATE TRIGGER message_groups_remove_members AFTER DELETE ON message_groups
BEGIN
  DELETE FROM message_group_members WHERE group_id = OLD.id;
END;

CREATE TRIGGER message_group_members_remove_state AFTER DELETE ON message_group_members
BEGIN
  DELETE FROM message_states WHERE group_id = OLD.group_id AND customer_id = OLD.customer_id;
END;

CREATE TRIGGER customers_erase_group_memberships AFTER UPDATE OF erased ON customers
WHEN OLD.erased = 0 AND NEW.erased = 1
BEGIN
  DELETE FROM message_group_members WHERE customer_id = NEW.id;
END;
