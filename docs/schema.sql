-- The database after all migrations. npm run edge -- schema writes this file, and a test compares it.

CREATE VIEW clock AS
SELECT datetime('now') AS now, CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER) % 1000 AS millisecond;

CREATE TABLE refusals (
  report TEXT NOT NULL -- JSON: the bad lines, and what is wrong with them
);

CREATE TRIGGER refusals_undo_the_request BEFORE INSERT ON refusals
BEGIN
  SELECT RAISE(ABORT, NEW.report);
END;

CREATE TABLE fresh_events (
  record TEXT NOT NULL, -- the kind of the events
  lines TEXT NOT NULL -- JSON: an array for each event
);

CREATE TABLE program_state (
  id INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 0, -- how many transactions have changed what an export gives, and feed requests
  changes_removed INTEGER NOT NULL DEFAULT 0, -- the lines of the journal up to this version are no longer kept
  act TEXT NOT NULL DEFAULT '', -- the last act of a till or a customer: it made the current version, unless a feed came later
  database_id TEXT NOT NULL DEFAULT '', -- tells this database from all others
  restorable INTEGER NOT NULL DEFAULT 1, -- 1: restores are taken, because nothing but restores was committed
  stamp TEXT NOT NULL, -- the last stamp taken
  clock_said TEXT NOT NULL, -- the time by D1's clock when it was taken
  is_open INTEGER NOT NULL, -- 1: messages may have this stamp. They are shown once the next stamp is taken
  horizon TEXT NOT NULL, -- the feed refuses events from before this time, because they may be added up. It never moves back
  retention_steps INTEGER NOT NULL, -- how many steps have added up and deleted events (0015_retention.sql)
  PRIMARY KEY (id),
  CONSTRAINT program_state_has_one_row CHECK (id = 1)
) WITHOUT ROWID;

CREATE TABLE requests (
  version INTEGER PRIMARY KEY,
  at TEXT NOT NULL, -- by D1's clock
  source TEXT NOT NULL, -- feed, restore, till, customer or retention
  subject TEXT NOT NULL, -- the `sub` of the token; of a write of a customer, the customer's id; empty: a step of retention
  lines INTEGER NOT NULL, -- how many lines it had; of a step of retention, how many events it deleted
  line TEXT -- JSON: what a till or a customer wrote, as the line that the feed would take, or a text: what a customer asked of the operator; NULL: none, or no longer kept
);

CREATE TABLE accounts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  company TEXT NOT NULL,
  folded_names TEXT NOT NULL, -- `company` and `chain_display_name` of the options, folded, for a coupon search
  words TEXT NOT NULL, -- the words of `company`, folded, each once
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  fields TEXT NOT NULL, -- JSON: the fields that the account object has in every answer
  agreement_type TEXT, -- JSON, as fed: only search results have it
  core_tenant_id TEXT, -- JSON, as fed: only coupon lists have it
  core_app_account_id TEXT, -- JSON, as fed: only coupon lists have it
  loyalty_options TEXT, -- JSON: only coupon lists have them, without the `mailer_*` fields and the logo; NULL: none
  chain_logo TEXT -- of the loyalty options; large, and answered only where a request asks for images
);

CREATE INDEX accounts_deleted ON accounts (deleted) WHERE deleted = 1;

CREATE VIEW visible_accounts AS SELECT * FROM accounts WHERE deleted = 0;

CREATE TABLE stores (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  words TEXT NOT NULL, -- the words of its name and address, folded, each once
  latitude REAL NOT NULL, -- degrees
  longitude REAL NOT NULL, -- degrees
  store_image TEXT NOT NULL,
  address_line_1 TEXT NOT NULL,
  address_line_2 TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip TEXT NOT NULL,
  phone TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  band INTEGER GENERATED ALWAYS AS (CAST(floor(latitude * 10) AS INTEGER)) VIRTUAL -- its tenth of a degree of latitude
);

CREATE INDEX stores_with_many_words ON stores (octet_length(words)) WHERE octet_length(words) > 400;

CREATE INDEX stores_by_position ON stores (account_key, band, longitude, latitude, deleted);

CREATE INDEX stores_deleted ON stores (deleted) WHERE deleted = 1;

CREATE INDEX stores_deleted_of_account ON stores (account_key) WHERE deleted = 1;

CREATE VIEW visible_stores AS
SELECT * FROM stores
WHERE deleted = 0 AND NOT EXISTS (
  SELECT 1 FROM accounts INDEXED BY accounts_deleted WHERE accounts.deleted = 1 AND accounts.key = stores.account_key
);

CREATE TABLE campaigns (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  words TEXT NOT NULL, -- the words of its name and description, folded, each once
  campaign_description TEXT NOT NULL,
  campaign_image TEXT NOT NULL,
  campaign_start_date TEXT NOT NULL, -- the first day, as fed
  campaign_end_date TEXT, -- the last day; NULL: it has no end
  time_zone TEXT NOT NULL, -- the time zone of these days
  starts_at TEXT NOT NULL, -- the first second of the first day, in UTC
  ends_at TEXT NOT NULL, -- the last second of the last day, in UTC; `never` sorts last
  status INTEGER NOT NULL, -- 1: it runs within its dates; other values: never
  details TEXT NOT NULL, -- JSON: fields of a search result that no query looks at
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  listed_stores TEXT, -- JSON: the keys of its stores; NULL: all of its account. Last, because it can be long
  for_all INTEGER GENERATED ALWAYS AS (listed_stores IS NULL) VIRTUAL -- 1: for all stores of its account
);

CREATE INDEX campaigns_with_many_words ON campaigns (octet_length(words)) WHERE octet_length(words) > 5000;

CREATE INDEX campaigns_by_account ON campaigns (
  account_key, deleted, status, for_all, id, starts_at, ends_at
);

CREATE INDEX campaigns_deleted ON campaigns (deleted) WHERE deleted = 1;

CREATE TABLE campaign_stores (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (store_key, campaign_key)
) WITHOUT ROWID;

CREATE TABLE campaign_earnings (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  earned INTEGER NOT NULL, -- in hundredths
  PRIMARY KEY (store_key, campaign_key),
  CONSTRAINT campaign_earnings CHECK (earned <= 9007199254740991)
) WITHOUT ROWID;

CREATE TRIGGER campaigns_insert AFTER INSERT ON campaigns
BEGIN
  INSERT INTO campaign_stores (store_key, campaign_key) SELECT value, NEW.key FROM json_each(NEW.listed_stores);
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'campaign_words' AND key = NEW.key;
END;

CREATE TRIGGER campaigns_update AFTER UPDATE OF listed_stores, words, deleted ON campaigns
WHEN (OLD.listed_stores, OLD.words, OLD.deleted) IS NOT (NEW.listed_stores, NEW.words, NEW.deleted)
BEGIN
  DELETE FROM campaign_stores WHERE campaign_key = NEW.key AND store_key IN (
    SELECT value FROM json_each(OLD.listed_stores) EXCEPT SELECT value FROM json_each(NEW.listed_stores)
  );
  INSERT INTO campaign_stores (store_key, campaign_key)
  SELECT value, NEW.key FROM json_each(NEW.listed_stores) WHERE OLD.listed_stores IS NOT NEW.listed_stores
  ON CONFLICT DO NOTHING;
  DELETE FROM campaign_words WHERE rowid = OLD.key AND (OLD.words, OLD.deleted) IS NOT (NEW.words, NEW.deleted);
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'campaign_words' AND key = NEW.key
    AND (OLD.words, OLD.deleted) IS NOT (NEW.words, NEW.deleted);
  INSERT INTO removed_words (words) SELECT OLD.words WHERE (OLD.words, OLD.deleted) IS NOT (NEW.words, NEW.deleted);
END;

CREATE VIEW running_campaigns AS
SELECT * FROM campaigns
WHERE deleted = 0 AND status = 1 AND starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock);

CREATE TABLE customers (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  words TEXT NOT NULL, -- the words of the names, last name first, folded, each once
  scan_id TEXT NOT NULL,
  date_of_birth TEXT,
  address_line_1 TEXT NOT NULL,
  address_line_2 TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip TEXT NOT NULL,
  customer_description TEXT NOT NULL,
  avatar TEXT NOT NULL,
  balance INTEGER NOT NULL DEFAULT 0, -- derived: the sum of all balance entries, in hundredths; the feed adds to it
  stores_count INTEGER NOT NULL DEFAULT 0, -- derived: the stores joined, soft-deleted ones included; triggers count it
  erased INTEGER NOT NULL DEFAULT 0, -- 1: erased, and counts as not stored
  erased_at TEXT, -- when the customer was last erased, for the receipt
  life INTEGER NOT NULL DEFAULT 0, -- how often the customer was erased and written again; a trigger counts
  member_key INTEGER GENERATED ALWAYS AS (key + life * 4294967296) VIRTUAL, -- the key in teams, another in each life
  name TEXT GENERATED ALWAYS AS (iif(erased = 1, '', trim(first_name || ' ' || last_name))) VIRTUAL -- as lists show it
);

CREATE INDEX customers_with_many_words ON customers (octet_length(words)) WHERE octet_length(words) > 400;

CREATE INDEX customers_by_scan_id ON customers (scan_id) WHERE scan_id <> '';

CREATE INDEX customers_erased ON customers (erased) WHERE erased = 1;

CREATE TABLE customer_requests (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  type TEXT NOT NULL, -- data: a copy of one's data; erasure
  requested_at TEXT NOT NULL,
  PRIMARY KEY (customer_key, type)
) WITHOUT ROWID;

CREATE TRIGGER customers_rename_or_erase AFTER UPDATE OF first_name, last_name, words, erased ON customers
WHEN (OLD.name, OLD.words, OLD.erased) IS NOT (NEW.name, NEW.words, NEW.erased)
BEGIN
  DELETE FROM customer_words WHERE rowid = OLD.key;
  INSERT INTO customer_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'customer_words' AND key = NEW.key;
  DELETE FROM customer_vocabulary
  WHERE word IN (SELECT value FROM json_each('["' || replace(OLD.words, ' ', '","') || '"]'))
    AND NOT EXISTS (SELECT 1 FROM customer_words WHERE customer_words MATCH '"' || customer_vocabulary.word || '"');
  UPDATE team_links SET name = NEW.name
  FROM (SELECT * FROM ancestors WHERE customer_key = NEW.key AND member_key = OLD.member_key LIMIT -1) AS a
  WHERE OLD.name IS NOT NEW.name AND OLD.erased = 0 AND team_links.store_key = a.store_key AND team_links.ancestor_key = a.ancestor_key
    AND team_links.joined = a.joined AND team_links.depth = a.depth
    AND team_links.name = OLD.name AND team_links.descendant_id = NEW.id AND team_links.descendant_key = OLD.member_key;
  UPDATE customers SET life = life + 1
  WHERE key = NEW.key AND OLD.erased = 1 AND NEW.erased = 0 AND EXISTS (SELECT 1 FROM program_state WHERE restorable = 0);
  UPDATE customers SET erased_at = now FROM clock WHERE key = NEW.key AND OLD.erased = 0 AND NEW.erased = 1;
  UPDATE memberships SET joined = 0 WHERE customer_key = NEW.key AND joined = 1 AND NEW.erased = 1;
  DELETE FROM registrations WHERE customer_key = NEW.key AND NEW.erased = 1;
  DELETE FROM friendships WHERE (low_key = NEW.key OR high_key = NEW.key) AND NEW.erased = 1;
  DELETE FROM blocks WHERE (customer_key = NEW.key OR blocked_key = NEW.key) AND NEW.erased = 1;
  DELETE FROM customer_requests WHERE customer_key = NEW.key AND NEW.erased = 1;
  UPDATE customer_coupons SET deleted = 1, coupon_id = NULL, creation_method = ''
  WHERE customer_key = NEW.key AND NEW.erased = 1 AND (deleted, coupon_id, creation_method) IS NOT (1, NULL, '');
  DELETE FROM message_group_members WHERE NEW.erased = 1 AND (group_key, customer_key) IN (
    SELECT group_key, customer_key FROM message_group_news WHERE customer_key = NEW.key
  );
  INSERT INTO outbox (version, topic, customers, newest_at, stored_at)
  SELECT version, 'erased', json_array(NEW.id), '', now FROM program_state CROSS JOIN clock
  WHERE restorable = 0 AND OLD.erased = 0 AND NEW.erased = 1
  ON CONFLICT DO NOTHING;
END;

CREATE VIRTUAL TABLE store_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);

CREATE VIRTUAL TABLE campaign_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);

CREATE VIRTUAL TABLE customer_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);

CREATE VIRTUAL TABLE store_words_terms USING fts5vocab(store_words, instance);

CREATE VIRTUAL TABLE campaign_words_terms USING fts5vocab(campaign_words, instance);

CREATE VIRTUAL TABLE customer_words_terms USING fts5vocab(customer_words, instance);

CREATE TABLE merchant_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE customer_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE removed_accounts (
  account_key INTEGER PRIMARY KEY
);

CREATE TABLE removed_words (
  key INTEGER PRIMARY KEY,
  words TEXT NOT NULL
);

CREATE VIEW expected_words AS
SELECT 'store_words' AS search_index, stores.key, stores.account_key, stores.words || ' ' || accounts.words AS words
FROM stores JOIN accounts ON accounts.key = stores.account_key
WHERE stores.deleted = 0 AND accounts.deleted = 0
UNION ALL
SELECT 'campaign_words', campaigns.key, campaigns.account_key, campaigns.words || ' ' || accounts.words
FROM campaigns JOIN accounts ON accounts.key = campaigns.account_key
WHERE campaigns.deleted = 0 AND accounts.deleted = 0
UNION ALL
SELECT 'customer_words', key, NULL, words
FROM customers
WHERE erased = 0;

CREATE TRIGGER accounts_update_words AFTER UPDATE OF words, deleted ON accounts
WHEN OLD.words IS NOT NEW.words OR OLD.deleted > NEW.deleted
BEGIN
  DELETE FROM store_words WHERE rowid IN (SELECT key FROM stores WHERE account_key = NEW.key);
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'store_words' AND account_key = NEW.key ORDER BY key;
  DELETE FROM campaign_words WHERE rowid IN (SELECT key FROM campaigns WHERE account_key = NEW.key);
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'campaign_words' AND account_key = NEW.key ORDER BY key;
  INSERT INTO merchant_vocabulary (word)
  SELECT word.value FROM expected_words
  CROSS JOIN json_each('["' || replace(expected_words.words, ' ', '","') || '"]') AS word
  WHERE OLD.deleted > NEW.deleted AND account_key = NEW.key AND length(word.value) > 3 AND (
    unicode(word.value) BETWEEN 97 AND 2303 OR unicode(word.value) BETWEEN 7296 AND 11391
    OR unicode(word.value) BETWEEN 42560 AND 43007 OR unicode(word.value) BETWEEN 43824 AND 43887
    OR unicode(word.value) BETWEEN 65139 AND 65139 OR unicode(word.value) BETWEEN 67456 AND 67456
    OR unicode(word.value) BETWEEN 69314 AND 69319 OR unicode(word.value) BETWEEN 122624 AND 122666
  ) ON CONFLICT DO NOTHING;
  INSERT INTO removed_words (words) SELECT OLD.words WHERE OLD.words IS NOT NEW.words;
  DELETE FROM removed_accounts WHERE account_key = NEW.key AND NEW.deleted = 0;
END;

CREATE TRIGGER accounts_soft_delete_words AFTER UPDATE OF deleted ON accounts
WHEN OLD.deleted < NEW.deleted
BEGIN
  INSERT INTO removed_accounts (account_key) VALUES (NEW.key) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER stores_insert_words AFTER INSERT ON stores
BEGIN
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'store_words' AND key = NEW.key;
END;

CREATE TRIGGER customers_insert_words AFTER INSERT ON customers
BEGIN
  INSERT INTO customer_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'customer_words' AND key = NEW.key;
END;

CREATE TRIGGER stores_update_words AFTER UPDATE OF words, deleted ON stores
WHEN (OLD.words, OLD.deleted) IS NOT (NEW.words, NEW.deleted)
BEGIN
  DELETE FROM store_words WHERE rowid = OLD.key;
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'store_words' AND key = NEW.key;
  INSERT INTO removed_words (words) VALUES (OLD.words);
END;

CREATE TABLE balance_entries (
  id TEXT PRIMARY KEY,
  customer_key INTEGER REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: the summary of a campaign
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: no campaign
  amount INTEGER NOT NULL, -- in hundredths, may be negative
  created_at TEXT NOT NULL,
  -- Why it was booked. In a summary: the number of the step (program_state) that last added to it, so that the next page
  -- of a list of entries notices that entries were added up since the first page.
  description TEXT NOT NULL,
  request INTEGER -- the version of the request that stored it; NULL: a summary
) WITHOUT ROWID;

CREATE INDEX balance_entries_by_customer ON balance_entries (customer_key, created_at) WHERE id NOT GLOB 'sealed:*';

CREATE TABLE store_balances (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER NOT NULL, -- in hundredths
  PRIMARY KEY (customer_key, store_key),
  -- The largest integer that is exact in JavaScript. A line that goes beyond it is bad.
  CONSTRAINT store_balance CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991)
) WITHOUT ROWID;

CREATE TABLE customer_accounts (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  balance INTEGER, -- the sum of the customer's balances at its stores, in hundredths; NULL: not an entry at any
  stores_count INTEGER NOT NULL, -- the stores joined, soft-deleted ones included
  PRIMARY KEY (customer_key, account_key)
) WITHOUT ROWID;

CREATE TRIGGER store_balances_insert AFTER INSERT ON store_balances
BEGIN
  INSERT INTO customer_accounts (customer_key, account_key, balance, stores_count)
  SELECT NEW.customer_key, account_key, NEW.balance, 0 FROM stores WHERE key = NEW.store_key
  ON CONFLICT DO UPDATE SET balance = ifnull(balance, 0) + excluded.balance;
END;

CREATE TRIGGER store_balances_update AFTER UPDATE OF balance ON store_balances
BEGIN
  UPDATE customer_accounts SET balance = balance + NEW.balance - OLD.balance
  WHERE customer_key = NEW.customer_key
    AND account_key = (SELECT account_key FROM stores WHERE key = NEW.store_key);
END;

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

CREATE INDEX memberships_by_customer ON memberships (customer_key, joined);

CREATE INDEX memberships_left ON memberships (store_key, member_key) WHERE joined = 0;

CREATE INDEX memberships_of_later_rounds ON memberships (export_round, store_key, member_key) WHERE export_round > 0;

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

CREATE VIEW expected_team_links AS
SELECT
  a.store_key, a.ancestor_key, a.joined, a.depth,
  iif(a.member_key = customers.member_key, customers.name, '') AS name, customers.id AS descendant_id,
  a.member_key AS descendant_key
FROM ancestors AS a
JOIN memberships AS above ON above.store_key = a.store_key AND above.member_key = a.ancestor_key
JOIN customers ON customers.key = a.customer_key;

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

CREATE TABLE registrations (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_key, campaign_key)
) WITHOUT ROWID;

CREATE VIEW joined_accounts AS
SELECT customer_key, account_key FROM holdings
WHERE joined_a_store AND NOT EXISTS (
  SELECT 1 FROM accounts INDEXED BY accounts_deleted WHERE accounts.deleted = 1 AND accounts.key = holdings.account_key
);

CREATE VIEW campaigns_of_customers AS
SELECT
  customers.key,
  iif(stores_count <= 100, (
    SELECT count(running) FROM (
      SELECT iif(starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock), 1, NULL) AS running
      FROM joined_accounts CROSS JOIN campaigns ON campaigns.account_key = joined_accounts.account_key
      WHERE joined_accounts.customer_key = customers.key AND campaigns.deleted = 0 AND status = 1
      LIMIT 2000
    )
  ), (
    SELECT count(running) FROM (
      SELECT iif(starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock), 1, NULL) AS running
      FROM campaigns
      WHERE campaigns.deleted = 0 AND status = 1
        AND account_key IN (
          SELECT account_key FROM (
            SELECT store_key FROM memberships
            WHERE memberships.customer_key = customers.key AND joined = 1 ORDER BY store_key LIMIT 1000
          ) AS joined_first CROSS JOIN visible_stores ON visible_stores.key = joined_first.store_key LIMIT 100
        )
      LIMIT 2000
    )
  )) AS campaigns_total,
  iif(NOT EXISTS (SELECT 1 FROM registrations WHERE registrations.customer_key = customers.key), 0,
    iif(stores_count <= 100, (
      SELECT count(*) FROM (
        SELECT campaign_key FROM registrations
        WHERE registrations.customer_key = customers.key ORDER BY campaign_key LIMIT 100
      ) AS registered_first CROSS JOIN running_campaigns ON running_campaigns.key = registered_first.campaign_key
      WHERE EXISTS (
        SELECT 1 FROM joined_accounts
        WHERE joined_accounts.customer_key = customers.key AND joined_accounts.account_key = running_campaigns.account_key
      )
    ), (
      -- Sorting both by account reads each once. A list after IN would be read again for each registration.
      SELECT ifnull(sum(registered), 0) FROM (
        SELECT sum(registered) AS registered FROM (
          SELECT account_key, 1 AS registered FROM (
            SELECT campaign_key FROM registrations
            WHERE registrations.customer_key = customers.key ORDER BY campaign_key LIMIT 100
          ) AS registered_first CROSS JOIN running_campaigns ON running_campaigns.key = registered_first.campaign_key
          UNION ALL
          SELECT account_key, 0 FROM (
            SELECT account_key FROM (
              SELECT store_key FROM memberships
              WHERE memberships.customer_key = customers.key AND joined = 1 ORDER BY store_key LIMIT 1000
            ) AS joined_first CROSS JOIN visible_stores ON visible_stores.key = joined_first.store_key LIMIT 100
          )
        )
        GROUP BY account_key HAVING min(registered) = 0
      )
    ))
  ) AS campaigns_registered
FROM customers;

CREATE TABLE friendships (
  low_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  high_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  status INTEGER NOT NULL, -- 1: friends, 0: the request is pending
  PRIMARY KEY (low_key, high_key)
) WITHOUT ROWID;

CREATE INDEX friendships_by_high_key ON friendships (high_key);

CREATE TABLE blocks (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  blocked_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_key, blocked_key)
) WITHOUT ROWID;

CREATE INDEX blocks_by_blocked_key ON blocks (blocked_key);

CREATE TABLE coupons (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL, -- `store`, `mfg` or `digital`
  campaign_id TEXT, -- the id of the campaign, not its key, because answers show the id; NULL: no campaign
  source_campaign_id TEXT, -- plain text, no reference
  filter_items TEXT, -- JSON, as fed
  coupon_barcode TEXT NOT NULL, -- digits, with leading zeros
  is_custom INTEGER NOT NULL,
  can_combine_with_other INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  expiration_date TEXT, -- as fed: a time, or a date in the time zone. The column `text` has it in UTC, for answers
  time_zone TEXT NOT NULL, -- the time zone of a fed date
  ends_at TEXT NOT NULL, -- the last valid second, in UTC; `never` sorts last
  folded_type TEXT NOT NULL, -- the type, folded, for a filter
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  text TEXT NOT NULL, -- JSON: the fields that the coupon has in every answer
  folded_text TEXT NOT NULL -- the name and the lines, folded, for a coupon search
);

CREATE INDEX coupons_digital ON coupons (account_key, ends_at) WHERE kind = 'digital' AND deleted = 0;

CREATE INDEX coupons_deleted ON coupons (deleted) WHERE deleted = 1;

CREATE TABLE customer_coupons (
  id TEXT PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_coupon_key INTEGER NOT NULL REFERENCES coupons (key) DEFERRABLE INITIALLY DEFERRED,
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL, -- that of the coupon, which never changes, for the index
  coupon_id TEXT, -- plain text, no reference
  expected_end_date TEXT, -- as fed: a time, or a date in the time zone. Answers show `ends_at`
  creation_method TEXT NOT NULL,
  reserved INTEGER NOT NULL,
  total_count INTEGER NOT NULL, -- how often it may be used
  usage_count INTEGER NOT NULL, -- how often it was used, as fed
  redeemed INTEGER NOT NULL DEFAULT 0, -- derived: its redemptions less their reversals; the feed and tills add to it
  created_at TEXT NOT NULL,
  updated_at TEXT,
  deleted_at TEXT, -- as fed; NULL: not deleted
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  time_zone TEXT NOT NULL, -- the time zone of a fed date
  ends_at TEXT NOT NULL, -- the last valid second, in UTC; `never` sorts last. The coupon itself may end earlier
  not_withdrawn INTEGER GENERATED ALWAYS AS (deleted = 0 AND deleted_at IS NULL) VIRTUAL,
  not_used_up INTEGER GENERATED ALWAYS AS (usage_count + redeemed < total_count) VIRTUAL,
  usable INTEGER GENERATED ALWAYS AS (not_withdrawn AND not_used_up) VIRTUAL -- 1: can be used
) WITHOUT ROWID;

CREATE INDEX customer_coupons_usable ON customer_coupons (
  customer_key, usable, kind, ends_at, campaign_coupon_key, store_key, created_at
);

CREATE INDEX customer_coupons_deleted ON customer_coupons (id) WHERE deleted = 1;

CREATE VIEW coupon_checks AS
SELECT
  coupons.key, coupons.id, coupons.kind, coupons.account_key, coupons.ends_at, coupons.created_at,
  octet_length(coupons.text) AS coupon_bytes, coupons.folded_type, coupons.folded_text,
  coupons.deleted = 0 AS coupon_not_deleted,
  NOT EXISTS (
    SELECT 1 FROM accounts INDEXED BY accounts_deleted WHERE deleted = 1 AND accounts.key = coupons.account_key
  ) AS account_not_deleted,
  coupons.ends_at >= (SELECT now FROM clock) AS coupon_end_not_passed
FROM coupons;

CREATE VIEW held_coupon_checks AS
SELECT
  customer_coupons.id, customer_coupons.customer_key, customer_coupons.kind, customer_coupons.created_at,
  customer_coupons.store_key, customer_coupons.usable, customer_coupons.ends_at AS own_ends_at,
  coupon_checks.key AS coupon_key, coupon_checks.account_key, coupon_checks.ends_at AS coupon_ends_at,
  coupon_checks.coupon_bytes, coupon_checks.folded_type, coupon_checks.folded_text,
  coupon_checks.coupon_not_deleted, coupon_checks.account_not_deleted,
  NOT EXISTS (
    SELECT 1 FROM stores INDEXED BY stores_deleted WHERE deleted = 1 AND stores.key = customer_coupons.store_key
  ) AS store_not_deleted,
  customer_coupons.not_withdrawn, customer_coupons.not_used_up,
  customer_coupons.ends_at >= (SELECT now FROM clock) AS own_end_not_passed,
  coupon_checks.coupon_end_not_passed
FROM customer_coupons CROSS JOIN coupon_checks ON coupon_checks.key = customer_coupons.campaign_coupon_key;

CREATE VIEW held_coupons AS
SELECT
  customer_key, kind, min(own_ends_at, coupon_ends_at) AS ends_at, created_at, id, id AS issued_id, store_key,
  coupon_key, account_key, coupon_bytes, folded_type, folded_text
FROM held_coupon_checks
WHERE usable = 1 AND coupon_not_deleted AND account_not_deleted AND store_not_deleted
  AND own_end_not_passed AND coupon_end_not_passed;

CREATE VIEW digital_coupons AS
SELECT
  holdings.customer_key, coupon_checks.kind, coupon_checks.ends_at, coupon_checks.created_at, coupon_checks.id,
  NULL AS issued_id, NULL AS store_key, coupon_checks.key AS coupon_key, coupon_checks.account_key,
  coupon_checks.coupon_bytes, coupon_checks.folded_type, coupon_checks.folded_text
FROM holdings CROSS JOIN coupon_checks
  ON coupon_checks.account_key = holdings.account_key AND coupon_checks.kind = 'digital'
WHERE holdings.joined_a_store AND coupon_not_deleted AND account_not_deleted AND coupon_end_not_passed;

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

CREATE TABLE message_group_members (
  group_key INTEGER NOT NULL REFERENCES message_groups (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  position INTEGER NOT NULL, -- in the list of the group, from 0
  PRIMARY KEY (group_key, customer_key)
) WITHOUT ROWID;

CREATE TABLE message_group_news (
  customer_key INTEGER NOT NULL,
  newest_at TEXT NOT NULL, -- the time of the group's newest message; empty: it has none
  group_id TEXT NOT NULL, -- breaks ties of the order
  group_key INTEGER NOT NULL,
  PRIMARY KEY (customer_key, newest_at DESC, group_id)
) WITHOUT ROWID;

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  group_key INTEGER NOT NULL REFERENCES message_groups (key) DEFERRABLE INITIALLY DEFERRED,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED, -- who wrote it
  life INTEGER NOT NULL, -- in which life of the sender: after an erasure the name stays empty
  body TEXT NOT NULL,
  sent_at TEXT NOT NULL, -- the stamp; if the fed time is more than an hour ago, the fed time
  request INTEGER -- the version of the request that stored it
) WITHOUT ROWID;

CREATE TABLE message_states (
  group_key INTEGER NOT NULL,
  customer_key INTEGER NOT NULL,
  read_at TEXT, -- messages up to this time are read; NULL: none
  notifications_disabled INTEGER NOT NULL, -- 1: disabled
  PRIMARY KEY (group_key, customer_key),
  FOREIGN KEY (group_key, customer_key) REFERENCES message_group_members (group_key, customer_key)
    DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

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

CREATE TRIGGER message_group_members_insert AFTER INSERT ON message_group_members
BEGIN
  INSERT INTO message_group_news (customer_key, newest_at, group_id, group_key)
  SELECT NEW.customer_key, coalesce(newest_at, ''), id, key FROM message_groups WHERE key = NEW.group_key;
  INSERT INTO changes (customer_keys, topic, newest_at)
  SELECT json_array(NEW.customer_key), 'messages', coalesce(newest_at, '')
  FROM message_groups WHERE key = NEW.group_key;
END;

CREATE TRIGGER message_group_members_delete AFTER DELETE ON message_group_members
BEGIN
  DELETE FROM message_states WHERE group_key = OLD.group_key AND customer_key = OLD.customer_key;
  DELETE FROM message_group_news WHERE (customer_key, newest_at, group_id) IN (
    SELECT OLD.customer_key, coalesce(newest_at, ''), id FROM message_groups WHERE key = OLD.group_key
  );
  INSERT INTO changes (customer_keys, topic, newest_at) VALUES (json_array(OLD.customer_key), 'messages', '');
END;

CREATE TABLE employees (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  avatar TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0 -- 1: soft-deleted
);

CREATE INDEX employees_deleted ON employees (deleted) WHERE deleted = 1;

CREATE TABLE eip_campaigns (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  start_date TEXT NOT NULL, -- the first day, as fed
  end_date TEXT, -- the last day; NULL: it has no end
  time_zone TEXT NOT NULL, -- the time zone of these days
  starts_at TEXT NOT NULL, -- the first second of the first day, in UTC
  ends_at TEXT NOT NULL, -- the last second of the last day, in UTC; `never` sorts last
  deleted INTEGER NOT NULL DEFAULT 0 -- 1: soft-deleted
);

CREATE INDEX eip_campaigns_by_account ON eip_campaigns (account_key, deleted, ends_at, starts_at);

CREATE INDEX eip_campaigns_deleted ON eip_campaigns (deleted) WHERE deleted = 1;

CREATE TABLE plays (
  id TEXT PRIMARY KEY,
  eip_campaign_key INTEGER NOT NULL REFERENCES eip_campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  location_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  employee_key INTEGER NOT NULL REFERENCES employees (key) DEFERRABLE INITIALLY DEFERRED,
  runs INTEGER NOT NULL, -- in hundredths
  hits INTEGER NOT NULL,
  doubles INTEGER NOT NULL,
  triples INTEGER NOT NULL,
  played_at TEXT NOT NULL,
  request INTEGER -- the version of the request that stored it; NULL: a summary
) WITHOUT ROWID;

CREATE TABLE play_totals (
  location_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  eip_campaign_key INTEGER NOT NULL REFERENCES eip_campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  employee_key INTEGER NOT NULL REFERENCES employees (key) DEFERRABLE INITIALLY DEFERRED,
  runs INTEGER NOT NULL, -- in hundredths
  hits INTEGER NOT NULL,
  doubles INTEGER NOT NULL,
  triples INTEGER NOT NULL,
  PRIMARY KEY (location_key, eip_campaign_key, employee_key),
  CONSTRAINT play_totals_in_range CHECK (min(runs, hits, doubles, triples) >= -9007199254740991
    AND max(runs, hits, doubles, triples) <= 9007199254740991)
) WITHOUT ROWID;

CREATE VIEW visible_eip_campaigns AS
SELECT *, starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock) AS is_running
FROM eip_campaigns WHERE deleted = 0;

CREATE TABLE listeners (
  customer_id TEXT PRIMARY KEY, -- as in the token, whether the customer is stored or not
  until TEXT NOT NULL -- listens until this time
) WITHOUT ROWID;

CREATE TABLE outbox (
  version INTEGER NOT NULL, -- the feed version of the change
  topic TEXT NOT NULL, -- messages, coupons, balance, or erased: the customer was erased
  customers TEXT NOT NULL, -- JSON: the ids of the listeners whom the change concerns, or of the erased customer
  newest_at TEXT NOT NULL, -- the time of the newest message, for inboxes; empty: the change is about no message
  stored_at TEXT NOT NULL, -- when the row was written
  PRIMARY KEY (version, topic, customers)
) WITHOUT ROWID;

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

CREATE TRIGGER outbox_of_emptied_messages AFTER UPDATE OF body ON messages
BEGIN
  INSERT INTO changes (customer_keys, topic, newest_at)
  SELECT json_group_array(customer_key), 'messages', NEW.sent_at
  FROM message_group_members WHERE group_key = NEW.group_key;
END;

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

CREATE TABLE retention_progress (
  kind TEXT PRIMARY KEY, -- balance_entry, token_earning, play or message
  horizon TEXT NOT NULL, -- events from before this time are old
  after_id TEXT NOT NULL, -- the last step looked at the events after this one
  last_id TEXT NOT NULL, -- and up to this one; empty: there was no step
  deleted INTEGER NOT NULL -- how many events it deleted
) WITHOUT ROWID;

CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  due_at TEXT NOT NULL,
  lease_until TEXT NOT NULL -- no other run takes the job before this time; empty: no run has it
) WITHOUT ROWID;

CREATE TABLE redemptions (
  id TEXT PRIMARY KEY,
  customer_coupon_key TEXT NOT NULL REFERENCES customer_coupons (id) DEFERRABLE INITIALLY DEFERRED, -- its id
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED, -- where it was used
  redeemed_at TEXT NOT NULL,
  reverses TEXT, -- the id of the redemption whose use it gives back; NULL: it uses the coupon
  request INTEGER -- the version of the request that stored it
) WITHOUT ROWID;

CREATE INDEX redemptions_of_coupons ON redemptions (customer_coupon_key, redeemed_at) WHERE reverses IS NULL;

CREATE UNIQUE INDEX redemptions_reversed ON redemptions (reverses) WHERE reverses IS NOT NULL;

CREATE TABLE till_holds (
  id TEXT PRIMARY KEY,
  customer_coupon_key TEXT, -- the id of the coupon; NULL: a till freed an id that nobody had used
  store_key INTEGER, -- where it was held
  held_until TEXT NOT NULL,
  state TEXT NOT NULL -- `held`, `freed` or `redeemed`
) WITHOUT ROWID;

CREATE INDEX till_holds_of_coupons ON till_holds (customer_coupon_key, held_until) WHERE state = 'held';

CREATE TRIGGER holds_of_redemptions AFTER INSERT ON redemptions WHEN NEW.reverses IS NULL
BEGIN
  UPDATE till_holds SET state = 'redeemed'
  WHERE id = NEW.id AND customer_coupon_key = NEW.customer_coupon_key AND state = 'held';
END;

CREATE VIEW live_holds AS
SELECT id, customer_coupon_key FROM till_holds WHERE state = 'held' AND held_until >= (SELECT now FROM clock);

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
