-- A customer who has joined a store, and who referred them. One who left keeps the row, and with it the place in the
-- tree; `joined` is 1 for those who are members now. `members_n` counts the members n levels below, at this store.
CREATE TABLE memberships (
  store_id TEXT NOT NULL REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED,
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  referrer_id TEXT,
  joined_at TEXT NOT NULL,
  joined INTEGER NOT NULL DEFAULT 1,
  members_1 INTEGER NOT NULL DEFAULT 0,
  members_2 INTEGER NOT NULL DEFAULT 0,
  members_3 INTEGER NOT NULL DEFAULT 0,
  members_4 INTEGER NOT NULL DEFAULT 0,
  members_5 INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (store_id, customer_id)
) WITHOUT ROWID;

CREATE INDEX memberships_by_customer ON memberships (customer_id, joined);

-- The members above a member, 1 to 5 levels up. Few enough to be walked: an index over team_links would be written.
CREATE VIEW ancestors AS
SELECT m.store_id, m.customer_id, m.referrer_id AS ancestor_id, 1 AS depth
FROM memberships AS m
WHERE m.referrer_id IS NOT NULL
UNION ALL
SELECT m.store_id, m.customer_id, a1.referrer_id, 2
FROM memberships AS m
JOIN memberships AS a1 ON a1.store_id = m.store_id AND a1.customer_id = m.referrer_id
WHERE a1.referrer_id IS NOT NULL
UNION ALL
SELECT m.store_id, m.customer_id, a2.referrer_id, 3
FROM memberships AS m
JOIN memberships AS a1 ON a1.store_id = m.store_id AND a1.customer_id = m.referrer_id
JOIN memberships AS a2 ON a2.store_id = m.store_id AND a2.customer_id = a1.referrer_id
WHERE a2.referrer_id IS NOT NULL
UNION ALL
SELECT m.store_id, m.customer_id, a3.referrer_id, 4
FROM memberships AS m
JOIN memberships AS a1 ON a1.store_id = m.store_id AND a1.customer_id = m.referrer_id
JOIN memberships AS a2 ON a2.store_id = m.store_id AND a2.customer_id = a1.referrer_id
JOIN memberships AS a3 ON a3.store_id = m.store_id AND a3.customer_id = a2.referrer_id
WHERE a3.referrer_id IS NOT NULL
UNION ALL
SELECT m.store_id, m.customer_id, a4.referrer_id, 5
FROM memberships AS m
JOIN memberships AS a1 ON a1.store_id = m.store_id AND a1.customer_id = m.referrer_id
JOIN memberships AS a2 ON a2.store_id = m.store_id AND a2.customer_id = a1.referrer_id
JOIN memberships AS a3 ON a3.store_id = m.store_id AND a3.customer_id = a2.referrer_id
JOIN memberships AS a4 ON a4.store_id = m.store_id AND a4.customer_id = a3.referrer_id
WHERE a4.referrer_id IS NOT NULL;

-- Who is how far below whom, in the order in which a team is listed: depth, name, id.
CREATE TABLE team_links (
  store_id TEXT NOT NULL,
  ancestor_id TEXT NOT NULL,
  joined INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  name TEXT NOT NULL,
  descendant_id TEXT NOT NULL,
  PRIMARY KEY (store_id, ancestor_id, joined, depth, name, descendant_id)
) WITHOUT ROWID;

-- A referrer who is not there yet gets no link: that is how the feed knows a line that came too early.
CREATE TRIGGER memberships_insert AFTER INSERT ON memberships
BEGIN
  INSERT INTO team_links (store_id, ancestor_id, joined, depth, name, descendant_id)
  SELECT a.store_id, a.ancestor_id, NEW.joined, a.depth, customers.name, a.customer_id
  FROM ancestors AS a
  JOIN memberships AS above ON above.store_id = a.store_id AND above.customer_id = a.ancestor_id
  JOIN customers ON customers.id = a.customer_id
  WHERE a.store_id = NEW.store_id AND a.customer_id = NEW.customer_id;
  UPDATE memberships SET
    members_1 = members_1 + (a.depth = 1),
    members_2 = members_2 + (a.depth = 2),
    members_3 = members_3 + (a.depth = 3),
    members_4 = members_4 + (a.depth = 4),
    members_5 = members_5 + (a.depth = 5)
  FROM ancestors AS a
  WHERE a.store_id = NEW.store_id AND a.customer_id = NEW.customer_id
    AND memberships.store_id = NEW.store_id AND memberships.customer_id = a.ancestor_id;
  UPDATE customers SET stores_count = stores_count + 1 WHERE id = NEW.customer_id;
END;

CREATE TRIGGER memberships_leave_or_return AFTER UPDATE OF joined ON memberships
WHEN OLD.joined IS NOT NEW.joined
BEGIN
  UPDATE team_links SET joined = NEW.joined
  FROM ancestors AS a JOIN customers ON customers.id = a.customer_id
  WHERE a.store_id = NEW.store_id AND a.customer_id = NEW.customer_id
    AND team_links.store_id = NEW.store_id AND team_links.ancestor_id = a.ancestor_id
    AND team_links.joined = OLD.joined AND team_links.depth = a.depth
    AND team_links.name = customers.name AND team_links.descendant_id = NEW.customer_id;
  UPDATE memberships SET
    members_1 = members_1 + (NEW.joined - OLD.joined) * (a.depth = 1),
    members_2 = members_2 + (NEW.joined - OLD.joined) * (a.depth = 2),
    members_3 = members_3 + (NEW.joined - OLD.joined) * (a.depth = 3),
    members_4 = members_4 + (NEW.joined - OLD.joined) * (a.depth = 4),
    members_5 = members_5 + (NEW.joined - OLD.joined) * (a.depth = 5)
  FROM ancestors AS a
  WHERE a.store_id = NEW.store_id AND a.customer_id = NEW.customer_id
    AND memberships.store_id = NEW.store_id AND memberships.customer_id = a.ancestor_id;
  UPDATE customers SET stores_count = stores_count + NEW.joined - OLD.joined WHERE id = NEW.customer_id;
END;

-- One trigger, because the links must have their new name before they are looked up by it.
CREATE TRIGGER customers_rename_or_erase AFTER UPDATE OF first_name, last_name, erased ON customers
WHEN OLD.name IS NOT NEW.name OR OLD.erased IS NOT NEW.erased
BEGIN
  UPDATE team_links SET name = NEW.name
  FROM memberships AS m JOIN ancestors AS a ON a.store_id = m.store_id AND a.customer_id = m.customer_id
  WHERE m.customer_id = NEW.id
    AND team_links.store_id = m.store_id AND team_links.ancestor_id = a.ancestor_id
    AND team_links.joined = m.joined AND team_links.depth = a.depth
    AND team_links.name = OLD.name AND team_links.descendant_id = NEW.id;
  UPDATE memberships SET joined = 0 WHERE customer_id = NEW.id AND joined = 1 AND NEW.erased = 1;
END;
