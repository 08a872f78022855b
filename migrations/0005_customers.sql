-- A customer of the program. An erasure empties the personal columns. The row stays, with its key, id and balance,
-- because entries and messages refer to it.
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

-- The few with so many words that a search does not test the text of their words (docs/contract/interface.md, 4.6).
CREATE INDEX customers_with_many_words ON customers (octet_length(words)) WHERE octet_length(words) > 400;

CREATE INDEX customers_by_scan_id ON customers (scan_id) WHERE scan_id <> ''; -- for tills, which read cards

CREATE INDEX customers_erased ON customers (erased) WHERE erased = 1; -- for exports

-- What customers have asked of the operator and is not done yet. An erasure does what was asked.
CREATE TABLE customer_requests (
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  type TEXT NOT NULL, -- data: a copy of one's data; erasure
  requested_at TEXT NOT NULL,
  PRIMARY KEY (customer_key, type)
) WITHOUT ROWID;

-- Writes a new name into the search index and into the links to the customer, and removes the words that nobody else
-- has from the vocabulary. A JSON array splits the words at their blanks: no word has a quote. Ends the memberships,
-- registrations, friendships, blocks, issued coupons and groups of an erased customer. A coupon keeps only ids, counts and
-- times, which its uses need. All this is one trigger, because
-- a membership that ends finds its links by the new name. Who is written again begins another life, and so has none of the
-- former memberships; a restore says the life. The feed empties the personal columns. Except in a restore,
-- the row in the outbox makes the customer's inbox delete what it stores.
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
