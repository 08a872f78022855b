-- A merchant's account: a chain of stores, or a single one.
CREATE TABLE accounts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  company TEXT NOT NULL,
  fields TEXT NOT NULL, -- JSON: the account object of the interface, as fed, without its loyalty options
  loyalty_options TEXT, -- JSON, as fed without the `mailer_*` fields; NULL: it has none
  folded_names TEXT NOT NULL, -- `company` and the options' `chain_display_name`, folded: what a coupon search compares
  words TEXT NOT NULL, -- the words of `company`, folded, each once
  far_stores_from INTEGER DEFAULT NULL, -- stores from this key on hold the account's mark, see chain_words; NULL: none
  far_campaigns_from INTEGER DEFAULT NULL, -- the same for campaigns
  deleted INTEGER NOT NULL DEFAULT 0 -- 1: soft-deleted
);

-- Every query that leaves out what belongs to a soft-deleted account. These are few: it looks here, and not into the
-- account of each row.
CREATE INDEX accounts_deleted ON accounts (deleted) WHERE deleted = 1;

-- Derived: the account object as the coupon lists answer it, so that they are put together from text. The chain's logo
-- is left empty: it is large, and filled in only where a request asks for images.
CREATE TABLE account_json (
  key INTEGER PRIMARY KEY, -- the account's
  coupons TEXT NOT NULL -- JSON
);

-- What account_json must hold. The `mailer_*` options are credentials: never stored, always `""`. Where an account has
-- no options, `json_patch()` is NULL and `json_set()` writes null.
CREATE VIEW expected_account_json AS
SELECT
  key,
  json_set(
    json_remove(fields, '$.agreement_type'),
    '$.loyalty_options', json_patch(loyalty_options, json_object(
      'chain_logo', '', 'mailer_domain', '', 'mailer_secret', '', 'mailer_endpoint', '', 'mailer_username', '',
      'mailer_password', '', 'mailer_from_email', '', 'mailer_from_name', ''
    ))
  ) AS coupons
FROM accounts;

-- Adds the text of a new account.
CREATE TRIGGER accounts_insert_json AFTER INSERT ON accounts
BEGIN
  INSERT INTO account_json (key, coupons) SELECT key, coupons FROM expected_account_json WHERE key = NEW.key;
END;

-- Replaces the text where it has changed.
CREATE TRIGGER accounts_update_json AFTER UPDATE OF fields, loyalty_options ON accounts
BEGIN
  UPDATE account_json SET coupons = expected.coupons
  FROM expected_account_json AS expected
  WHERE expected.key = NEW.key AND account_json.key = NEW.key AND account_json.coupons IS NOT expected.coupons;
END;

-- Derived: the search index of the companies of large accounts. A store is found by its account's company too. The
-- first hundred stores of an account hold the company's words in their own entry of store_words. From the key in
-- `far_stores_from` on, an entry holds the account's mark instead, "+" and its key, and the words stand once, here. So
-- a new company name rewrites at most a hundred entries, and a search looks up marks only for the few accounts that
-- have more stores than that. The same holds for campaigns.
CREATE VIRTUAL TABLE chain_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);

INSERT INTO chain_words (chain_words, rank) VALUES ('usermerge', 2);

-- What chain_words holds, term by term: an index without contents can be compared in no other way.
CREATE VIRTUAL TABLE chain_words_terms USING fts5vocab(chain_words, instance);

-- What chain_words must hold: the words of each account with marks, unless it is soft-deleted.
CREATE VIEW expected_chain_words AS
SELECT key, words FROM accounts
WHERE deleted = 0 AND (far_stores_from IS NOT NULL OR far_campaigns_from IS NOT NULL);

-- Follows a new company name, soft deletion, and the first mark of an account: in chain_words, in the entries that hold
-- the name, which are at most a hundred stores and a hundred campaigns, and in the vocabularies. One trigger, because
-- whether an entry holds a word is asked when all have been written.
CREATE TRIGGER accounts_update_words
AFTER UPDATE OF words, deleted, far_stores_from, far_campaigns_from ON accounts
WHEN (OLD.words, OLD.deleted, OLD.far_stores_from, OLD.far_campaigns_from)
  IS NOT (NEW.words, NEW.deleted, NEW.far_stores_from, NEW.far_campaigns_from)
BEGIN
  DELETE FROM chain_words WHERE rowid = OLD.key;
  INSERT INTO chain_words (rowid, words) SELECT key, words FROM expected_chain_words WHERE key = NEW.key;
  DELETE FROM store_words WHERE OLD.words IS NOT NEW.words AND rowid IN (
    SELECT key FROM stores WHERE account_key = NEW.key AND key < coalesce(NEW.far_stores_from, 9e18)
  );
  INSERT INTO store_words (rowid, words)
  SELECT key, words FROM expected_store_words WHERE OLD.words IS NOT NEW.words AND key IN (
    SELECT key FROM stores WHERE account_key = NEW.key AND key < coalesce(NEW.far_stores_from, 9e18)
  );
  DELETE FROM campaign_words WHERE OLD.words IS NOT NEW.words AND rowid IN (
    SELECT key FROM campaigns WHERE account_key = NEW.key AND key < coalesce(NEW.far_campaigns_from, 9e18)
  );
  INSERT INTO campaign_words (rowid, words)
  SELECT key, words FROM expected_campaign_words WHERE OLD.words IS NOT NEW.words AND key IN (
    SELECT key FROM campaigns WHERE account_key = NEW.key AND key < coalesce(NEW.far_campaigns_from, 9e18)
  );
  INSERT INTO store_vocabulary (word)
  SELECT value FROM json_each('["' || replace(NEW.words, ' ', '","') || '"]') AS word
  WHERE word.value GLOB '[^0-9+]???*' AND (
    EXISTS (SELECT 1 FROM store_words WHERE store_words MATCH '"' || word.value || '"')
    OR EXISTS (
      SELECT 1 FROM chain_words CROSS JOIN accounts AS chain ON chain.key = chain_words.rowid
      WHERE chain_words MATCH '"' || word.value || '"' AND chain.far_stores_from IS NOT NULL
    )
  )
  ON CONFLICT (word) DO NOTHING;
  DELETE FROM store_vocabulary
  WHERE word IN (SELECT value FROM json_each('["' || replace(OLD.words, ' ', '","') || '"]'))
    AND NOT EXISTS (SELECT 1 FROM store_words WHERE store_words MATCH '"' || store_vocabulary.word || '"')
    AND NOT EXISTS (
      SELECT 1 FROM chain_words CROSS JOIN accounts AS chain ON chain.key = chain_words.rowid
      WHERE chain_words MATCH '"' || store_vocabulary.word || '"' AND chain.far_stores_from IS NOT NULL
    );
  INSERT INTO campaign_vocabulary (word)
  SELECT value FROM json_each('["' || replace(NEW.words, ' ', '","') || '"]') AS word
  WHERE word.value GLOB '[^0-9+]???*' AND (
    EXISTS (SELECT 1 FROM campaign_words WHERE campaign_words MATCH '"' || word.value || '"')
    OR EXISTS (
      SELECT 1 FROM chain_words CROSS JOIN accounts AS chain ON chain.key = chain_words.rowid
      WHERE chain_words MATCH '"' || word.value || '"' AND chain.far_campaigns_from IS NOT NULL
    )
  )
  ON CONFLICT (word) DO NOTHING;
  DELETE FROM campaign_vocabulary
  WHERE word IN (SELECT value FROM json_each('["' || replace(OLD.words, ' ', '","') || '"]'))
    AND NOT EXISTS (SELECT 1 FROM campaign_words WHERE campaign_words MATCH '"' || campaign_vocabulary.word || '"')
    AND NOT EXISTS (
      SELECT 1 FROM chain_words CROSS JOIN accounts AS chain ON chain.key = chain_words.rowid
      WHERE chain_words MATCH '"' || campaign_vocabulary.word || '"' AND chain.far_campaigns_from IS NOT NULL
    );
END;
