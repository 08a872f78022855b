-- A group of customers who write to each other. A removed group loses its id and keeps its row, because its messages
-- refer to it. If a group is written again under the same id, it gets another row, and so has none of the old messages.
CREATE TABLE message_groups (
  key INTEGER PRIMARY KEY,
  id TEXT UNIQUE, -- NULL: removed
  initial_customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED, -- who started it
  initial_life INTEGER NOT NULL, -- in which life: after an erasure the name stays empty
  group_image TEXT,
  created_at TEXT NOT NULL,
  newest_id TEXT, -- derived: the newest message; the feed sets these four columns
  newest_at TEXT, -- the time of the newest message
  earlier_id TEXT, -- derived: the newest of an earlier second, shown until the second of the newest is over
  earlier_at TEXT -- the time of the earlier message
);

-- Who is in a group.
CREATE TABLE message_group_members (
  group_key INTEGER NOT NULL REFERENCES message_groups (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  position INTEGER NOT NULL, -- in the list of the group, from 0
  PRIMARY KEY (group_key, customer_key)
) WITHOUT ROWID;

-- Derived: the groups of each customer, newest message first, so that a poll reads only the groups with news.
CREATE TABLE message_group_news (
  customer_key INTEGER NOT NULL,
  newest_at TEXT NOT NULL, -- the time of the group's newest message; empty: it has none
  group_id TEXT NOT NULL, -- breaks ties of the order
  group_key INTEGER NOT NULL,
  PRIMARY KEY (customer_key, newest_at DESC, group_id)
) WITHOUT ROWID;

-- An event: a message in a group. It stays when its group is removed, because its id stays used.
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  group_key INTEGER NOT NULL REFERENCES message_groups (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED, -- who wrote it
  life INTEGER NOT NULL, -- in which life of the sender: after an erasure the name stays empty
  body TEXT NOT NULL,
  sent_at TEXT NOT NULL, -- the stamp; if the fed time is more than an hour ago, the fed time
  request INTEGER -- the version of the request that stored it
) WITHOUT ROWID;

-- How far a member has read a group. The row is removed when the member leaves the group.
CREATE TABLE message_states (
  group_key INTEGER NOT NULL,
  customer_key INTEGER NOT NULL,
  read_at TEXT, -- messages up to this time are read; NULL: none
  notifications_disabled INTEGER NOT NULL, -- 1: disabled
  PRIMARY KEY (group_key, customer_key),
  FOREIGN KEY (group_key, customer_key) REFERENCES message_group_members (group_key, customer_key)
    DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

-- Moves the group up in each member's list, and notifies the members. A feed request updates a group once.
CREATE TRIGGER message_groups_show_news AFTER UPDATE OF newest_id, newest_at, earlier_id ON message_groups
WHEN (OLD.newest_id, OLD.newest_at, OLD.earlier_id) IS NOT (NEW.newest_id, NEW.newest_at, NEW.earlier_id)
BEGIN
  DELETE FROM message_group_news
  WHERE OLD.newest_at IS NOT NEW.newest_at AND newest_at = coalesce(OLD.newest_at, '') AND group_id = OLD.id
    AND customer_key IN (SELECT customer_key FROM message_group_members WHERE group_key = OLD.key);
  INSERT INTO message_group_news (customer_key, newest_at, group_id, group_key)
  SELECT customer_key, coalesce(NEW.newest_at, ''), NEW.id, NEW.key FROM message_group_members
  WHERE OLD.newest_at IS NOT NEW.newest_at AND group_key = NEW.key;
  INSERT INTO changes (customer_keys, topic, newest_at)
  SELECT json_group_array(customer_key), 'messages', coalesce(NEW.newest_at, '')
  FROM message_group_members WHERE group_key = NEW.key;
END;

-- Lists the group for a new member, and notifies the member, who has not seen the newest message.
CREATE TRIGGER message_group_members_insert AFTER INSERT ON message_group_members
BEGIN
  INSERT INTO message_group_news (customer_key, newest_at, group_id, group_key)
  SELECT NEW.customer_key, coalesce(newest_at, ''), id, key FROM message_groups WHERE key = NEW.group_key;
  INSERT INTO changes (customer_keys, topic, newest_at)
  SELECT json_array(NEW.customer_key), 'messages', coalesce(newest_at, '')
  FROM message_groups WHERE key = NEW.group_key;
END;

-- Removes the member's state and entry, and notifies the former member, who no longer sees the group.
CREATE TRIGGER message_group_members_delete AFTER DELETE ON message_group_members
BEGIN
  DELETE FROM message_states WHERE group_key = OLD.group_key AND customer_key = OLD.customer_key;
  DELETE FROM message_group_news WHERE (customer_key, newest_at, group_id) IN (
    SELECT OLD.customer_key, coalesce(newest_at, ''), id FROM message_groups WHERE key = OLD.group_key
  );
  INSERT INTO changes (customer_keys, topic, newest_at) VALUES (json_array(OLD.customer_key), 'messages', '');
END;
