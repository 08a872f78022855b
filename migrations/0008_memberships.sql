-- A customer who has joined a store, and the customer who referred them. Referrers make a tree at each store. A member
-- who leaves keeps the row, so that the members below keep their levels in the teams above.
--
-- A customer who was erased and written again has other keys in teams: `customers.member_key` grows by 2^32 with each life.
-- So nothing of the former life returns, and the members below the former member keep their levels, too.
CREATE TABLE memberships (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  member_key INTEGER NOT NULL,
  customer_key INTEGER GENERATED ALWAYS AS (member_key & 4294967295) VIRTUAL
    REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  referrer_member_key INTEGER, -- NULL: nobody
  referrer_key INTEGER GENERATED ALWAYS AS (referrer_member_key & 4294967295) VIRTUAL
    REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  joined_at TEXT NOT NULL,
  joined INTEGER NOT NULL DEFAULT 1, -- 1: a member now, 0: left
  members_1 INTEGER NOT NULL DEFAULT 0, -- derived: members now, one level below; triggers count these five
  members_2 INTEGER NOT NULL DEFAULT 0, -- two levels below, and so on
  members_3 INTEGER NOT NULL DEFAULT 0,
  members_4 INTEGER NOT NULL DEFAULT 0,
  members_5 INTEGER NOT NULL DEFAULT 0,
  tokens_1 INTEGER NOT NULL DEFAULT 0, -- derived: tokens earned from one level below, in hundredths; the feed adds
  tokens_2 INTEGER NOT NULL DEFAULT 0,
  tokens_3 INTEGER NOT NULL DEFAULT 0,
  tokens_4 INTEGER NOT NULL DEFAULT 0,
  tokens_5 INTEGER NOT NULL DEFAULT 0,
  export_round INTEGER NOT NULL DEFAULT 0, -- derived: in which round of an export it comes; a trigger sets it
  PRIMARY KEY (store_key, member_key),
  CONSTRAINT member_tokens CHECK (min(tokens_1, tokens_2, tokens_3, tokens_4, tokens_5) >= -9007199254740991
    AND max(tokens_1, tokens_2, tokens_3, tokens_4, tokens_5) <= 9007199254740991)
) WITHOUT ROWID;

-- The stores that a customer has joined.
CREATE INDEX memberships_by_customer ON memberships (customer_key, joined);

-- For exports. Few memberships have a later round than 0.
CREATE INDEX memberships_left ON memberships (store_key, member_key) WHERE joined = 0;
CREATE INDEX memberships_of_later_rounds ON memberships (export_round, store_key, member_key) WHERE export_round > 0;

-- The referrers above a member, 1 to 5 levels up. They are looked up one by one, because an index of team_links by
-- descendant would be one more row to write for each link. An UPDATE reads the view through a subquery with a LIMIT;
-- without the LIMIT, SQLite reads all members of the store first.
CREATE VIEW ancestors AS
SELECT
  m.store_key, m.member_key, m.customer_key, m.joined, level.column1 AS depth,
  CASE level.column1
    WHEN 1 THEN m.referrer_member_key
    WHEN 2 THEN a1.referrer_member_key
    WHEN 3 THEN a2.referrer_member_key
    WHEN 4 THEN a3.referrer_member_key
    ELSE a4.referrer_member_key
  END AS ancestor_key
FROM memberships AS m
LEFT JOIN memberships AS a1 ON a1.store_key = m.store_key AND a1.member_key = m.referrer_member_key
LEFT JOIN memberships AS a2 ON a2.store_key = m.store_key AND a2.member_key = a1.referrer_member_key
LEFT JOIN memberships AS a3 ON a3.store_key = m.store_key AND a3.member_key = a2.referrer_member_key
LEFT JOIN memberships AS a4 ON a4.store_key = m.store_key AND a4.member_key = a3.referrer_member_key
CROSS JOIN (VALUES (1), (2), (3), (4), (5)) AS level
WHERE ancestor_key IS NOT NULL;

-- Derived: each member with the members up to five levels above. The key has the order in which a team is listed.
CREATE TABLE team_links (
  store_key INTEGER NOT NULL,
  ancestor_key INTEGER NOT NULL, -- the member above
  joined INTEGER NOT NULL, -- 1: the descendant is a member now, 0: has left
  depth INTEGER NOT NULL, -- 1 to 5
  name TEXT NOT NULL, -- the name of the descendant
  descendant_id TEXT NOT NULL, -- breaks ties of the order
  descendant_key INTEGER NOT NULL, -- the member below
  PRIMARY KEY (store_key, ancestor_key, joined, depth, name, descendant_id, descendant_key)
) WITHOUT ROWID;

-- The rows that team_links must have. A former life of a customer has no name there. A referrer who is not a member yet
-- gets no link, so the feed notices the line.
CREATE VIEW expected_team_links AS
SELECT
  a.store_key, a.ancestor_key, a.joined, a.depth,
  iif(a.member_key = customers.member_key, customers.name, '') AS name, customers.id AS descendant_id,
  a.member_key AS descendant_key
FROM ancestors AS a
JOIN memberships AS above ON above.store_key = a.store_key AND above.member_key = a.ancestor_key
JOIN customers ON customers.key = a.customer_key;

-- Links a new member to the members above, adds to their counts and to the customer's counts, and sets the member's
-- round. An export gives a referrer before the members whom they referred. In one round it has the order of the
-- customers' keys. So a member whose key is smaller than the referrer's comes one round later than the referrer.
CREATE TRIGGER memberships_insert AFTER INSERT ON memberships
BEGIN
  INSERT INTO team_links (store_key, ancestor_key, joined, depth, name, descendant_id, descendant_key)
  SELECT store_key, ancestor_key, joined, depth, name, descendant_id, descendant_key FROM expected_team_links
  WHERE store_key = NEW.store_key AND descendant_key = NEW.member_key;
  UPDATE memberships SET
    members_1 = members_1 + (a.depth = 1),
    members_2 = members_2 + (a.depth = 2),
    members_3 = members_3 + (a.depth = 3),
    members_4 = members_4 + (a.depth = 4),
    members_5 = members_5 + (a.depth = 5)
  FROM (
    SELECT * FROM ancestors WHERE store_key = NEW.store_key AND member_key = NEW.member_key LIMIT 5
  ) AS a
  WHERE memberships.store_key = NEW.store_key AND memberships.member_key = a.ancestor_key;
  UPDATE customers SET stores_count = stores_count + 1 WHERE key = NEW.customer_key;
  INSERT INTO customer_accounts (customer_key, account_key, stores_count)
  SELECT NEW.customer_key, account_key, 1 FROM stores WHERE key = NEW.store_key
  ON CONFLICT DO UPDATE SET stores_count = stores_count + 1;
  UPDATE memberships SET export_round = referrer.export_round + (NEW.referrer_member_key > NEW.member_key)
  FROM memberships AS referrer
  WHERE referrer.store_key = NEW.store_key AND referrer.member_key = NEW.referrer_member_key
    AND referrer.export_round + (NEW.referrer_member_key > NEW.member_key) > 0
    AND memberships.store_key = NEW.store_key AND memberships.member_key = NEW.member_key;
END;

-- When a member leaves or returns: changes the links to the member, and the counts.
CREATE TRIGGER memberships_leave_or_return AFTER UPDATE OF joined ON memberships
WHEN OLD.joined IS NOT NEW.joined
BEGIN
  UPDATE team_links SET joined = NEW.joined
  FROM (
    SELECT a.*, customers.id, iif(a.member_key = customers.member_key, customers.name, '') AS name
    FROM ancestors AS a JOIN customers ON customers.key = a.customer_key
    WHERE a.store_key = NEW.store_key AND a.member_key = NEW.member_key LIMIT 5
  ) AS a
  WHERE team_links.store_key = NEW.store_key AND team_links.ancestor_key = a.ancestor_key
    AND team_links.joined = OLD.joined AND team_links.depth = a.depth
    AND team_links.name = a.name AND team_links.descendant_id = a.id AND team_links.descendant_key = a.member_key;
  UPDATE memberships SET
    members_1 = members_1 + (NEW.joined - OLD.joined) * (a.depth = 1),
    members_2 = members_2 + (NEW.joined - OLD.joined) * (a.depth = 2),
    members_3 = members_3 + (NEW.joined - OLD.joined) * (a.depth = 3),
    members_4 = members_4 + (NEW.joined - OLD.joined) * (a.depth = 4),
    members_5 = members_5 + (NEW.joined - OLD.joined) * (a.depth = 5)
  FROM (
    SELECT * FROM ancestors WHERE store_key = NEW.store_key AND member_key = NEW.member_key LIMIT 5
  ) AS a
  WHERE memberships.store_key = NEW.store_key AND memberships.member_key = a.ancestor_key;
  UPDATE customers SET stores_count = stores_count + NEW.joined - OLD.joined WHERE key = NEW.customer_key;
  UPDATE customer_accounts SET stores_count = stores_count + NEW.joined - OLD.joined
  WHERE customer_key = NEW.customer_key
    AND account_key = (SELECT account_key FROM stores WHERE key = NEW.store_key);
END;

-- An event: tokens that a member earned at a store from one level of the member's own team.
CREATE TABLE token_earnings (
  id TEXT PRIMARY KEY,
  store_key INTEGER NOT NULL,
  member_key INTEGER NOT NULL,
  customer_key INTEGER GENERATED ALWAYS AS (member_key & 4294967295) VIRTUAL,
  level_no INTEGER NOT NULL, -- the level below the member, 1 to 5
  tokens INTEGER NOT NULL, -- in hundredths
  earned_at TEXT NOT NULL,
  request INTEGER, -- the version of the request that stored it; NULL: a summary
  FOREIGN KEY (store_key, member_key) REFERENCES memberships (store_key, member_key) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

-- What customers have at accounts. Entries at a soft-deleted store still count (docs/contract/feed.md, 2). Its members are
-- subtracted here, because a soft deletion never writes an unbounded number of rows.
CREATE VIEW holdings AS
SELECT customer_key, account_key, balance, stores_joined, stores_joined > 0 AS joined_a_store FROM (
  SELECT customer_key, account_key, balance, stores_count - iif(
    EXISTS (
      SELECT 1 FROM stores INDEXED BY stores_deleted_of_account
      WHERE stores.account_key = customer_accounts.account_key AND deleted = 1
    ), (
      SELECT count(*) FROM memberships CROSS JOIN stores INDEXED BY stores_deleted_of_account
        ON stores.account_key = customer_accounts.account_key AND deleted = 1 AND stores.key = memberships.store_key
      WHERE memberships.customer_key = customer_accounts.customer_key AND memberships.joined = 1
    ), 0
  ) AS stores_joined
  FROM customer_accounts
);

-- The customers that answers show, with the number of visible stores that they have joined. `stores_count` also counts
-- hidden stores, because a soft deletion never writes an unbounded number of rows. So deleted stores, and the stores of
-- deleted accounts, are subtracted here. Each is looked up among what the customer has, or the other way round, whichever
-- are fewer.
CREATE VIEW visible_customers AS
SELECT *, stores_count - iif(
  (SELECT count(*) FROM (SELECT 1 FROM stores INDEXED BY stores_deleted WHERE deleted = 1 LIMIT 1001)) <= min(stores_count, 1000), (
    SELECT count(*) FROM stores INDEXED BY stores_deleted CROSS JOIN memberships
      ON memberships.store_key = stores.key AND memberships.member_key = customers.member_key
    WHERE stores.deleted = 1 AND memberships.joined = 1
  ), (
    SELECT count(*) FROM memberships CROSS JOIN stores INDEXED BY stores_deleted
      ON stores.deleted = 1 AND stores.key = memberships.store_key
    WHERE memberships.customer_key = customers.key AND memberships.joined = 1
  )
) - iif(
  (SELECT count(*) FROM (SELECT 1 FROM accounts INDEXED BY accounts_deleted WHERE deleted = 1 LIMIT 1001)) <= min(stores_count, 1000), (
    SELECT ifnull(sum(stores_joined), 0) FROM accounts INDEXED BY accounts_deleted CROSS JOIN holdings
      ON holdings.customer_key = customers.key AND holdings.account_key = accounts.key
    WHERE accounts.deleted = 1
  ), (
    SELECT ifnull(sum(stores_joined), 0) FROM holdings CROSS JOIN accounts INDEXED BY accounts_deleted
      ON accounts.deleted = 1 AND accounts.key = holdings.account_key
    WHERE holdings.customer_key = customers.key
  )
) AS stores_joined
FROM customers WHERE erased = 0;
