-- `words`: what the record is found by, as runs of letters and digits, folded by the Worker, each once, with a space
-- between. The indexes below hold nothing else, so they split where the Worker splits: to the tokenizer `ascii` every
-- character beyond ASCII is part of a word, and stays as it is.
ALTER TABLE accounts ADD COLUMN words TEXT NOT NULL DEFAULT '';
ALTER TABLE stores ADD COLUMN words TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN words TEXT NOT NULL DEFAULT '';
ALTER TABLE customers ADD COLUMN words TEXT NOT NULL DEFAULT '';

-- A store is found by its account's company too. The first hundred stores of an account hold the company's words in
-- their own entry; from the key in `far_stores_from` on, an entry holds the account's mark, "+" and its key, instead,
-- and the company's words stand once, in chain_words. So a new company name rewrites a hundred entries and no more,
-- and a search looks up marks only for the few accounts that have so many stores. The same holds for campaigns.
ALTER TABLE accounts ADD COLUMN far_stores_from INTEGER;
ALTER TABLE accounts ADD COLUMN far_campaigns_from INTEGER;

CREATE INDEX stores_by_account ON stores (account_id);

-- Beginnings of up to six characters are looked up as they are; longer ones are gathered first from all words that have
-- them, which costs time with every record. An index that keeps no contents takes an entry away by its rowid alone.
CREATE VIRTUAL TABLE store_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = "ascii tokenchars '+'"
);
CREATE VIRTUAL TABLE campaign_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = "ascii tokenchars '+'"
);
CREATE VIRTUAL TABLE chain_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);
CREATE VIRTUAL TABLE customer_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);

-- What each index must hold. The triggers below read these definitions, and so does a rebuild, for each of the four:
--   INSERT INTO store_words (store_words) VALUES ('delete-all');
--   INSERT INTO store_words (rowid, words) SELECT key, words FROM store_words_due;
CREATE VIEW store_words_due AS
SELECT
  stores.key,
  stores.words || ' ' ||
    iif(stores.key >= accounts.far_stores_from, '+' || accounts.key, accounts.words) AS words
FROM stores
JOIN accounts ON accounts.id = stores.account_id
WHERE stores.set_aside = 0;

CREATE VIEW campaign_words_due AS
SELECT
  campaigns.key,
  campaigns.words || ' ' ||
    iif(campaigns.key >= accounts.far_campaigns_from, '+' || accounts.key, accounts.words) AS words
FROM campaigns
JOIN accounts ON accounts.id = campaigns.account_id
WHERE campaigns.set_aside = 0;

CREATE VIEW chain_words_due AS
SELECT key, words FROM accounts
WHERE set_aside = 0 AND (far_stores_from IS NOT NULL OR far_campaigns_from IS NOT NULL);

CREATE VIEW customer_words_due AS
SELECT key, words FROM customers WHERE erased = 0;

CREATE TRIGGER stores_insert_words AFTER INSERT ON stores
BEGIN
  UPDATE accounts SET far_stores_from = NEW.key
  WHERE id = NEW.account_id AND iif(
    far_stores_from IS NULL,
    (SELECT count(*) FROM (SELECT 1 FROM stores WHERE account_id = NEW.account_id LIMIT 101)) > 100,
    0
  );
  INSERT INTO store_words (rowid, words) SELECT key, words FROM store_words_due WHERE key = NEW.key;
END;

CREATE TRIGGER stores_update_words AFTER UPDATE OF words, set_aside ON stores
WHEN OLD.words IS NOT NEW.words OR OLD.set_aside IS NOT NEW.set_aside
BEGIN
  DELETE FROM store_words WHERE rowid = OLD.key;
  INSERT INTO store_words (rowid, words) SELECT key, words FROM store_words_due WHERE key = NEW.key;
END;

CREATE TRIGGER campaigns_insert_words AFTER INSERT ON campaigns
BEGIN
  UPDATE accounts SET far_campaigns_from = NEW.key
  WHERE id = NEW.account_id AND iif(
    far_campaigns_from IS NULL,
    (SELECT count(*) FROM (SELECT 1 FROM campaigns WHERE account_id = NEW.account_id LIMIT 101)) > 100,
    0
  );
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM campaign_words_due WHERE key = NEW.key;
END;

CREATE TRIGGER campaigns_update_words AFTER UPDATE OF words, set_aside ON campaigns
WHEN OLD.words IS NOT NEW.words OR OLD.set_aside IS NOT NEW.set_aside
BEGIN
  DELETE FROM campaign_words WHERE rowid = OLD.key;
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM campaign_words_due WHERE key = NEW.key;
END;

CREATE TRIGGER accounts_rename_near AFTER UPDATE OF words ON accounts
WHEN OLD.words IS NOT NEW.words
BEGIN
  DELETE FROM store_words WHERE rowid IN (
    SELECT key FROM stores WHERE account_id = NEW.id AND key < coalesce(NEW.far_stores_from, 9e18)
  );
  INSERT INTO store_words (rowid, words) SELECT key, words FROM store_words_due WHERE key IN (
    SELECT key FROM stores WHERE account_id = NEW.id AND key < coalesce(NEW.far_stores_from, 9e18)
  );
  DELETE FROM campaign_words WHERE rowid IN (
    SELECT key FROM campaigns WHERE account_id = NEW.id AND key < coalesce(NEW.far_campaigns_from, 9e18)
  );
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM campaign_words_due WHERE key IN (
    SELECT key FROM campaigns WHERE account_id = NEW.id AND key < coalesce(NEW.far_campaigns_from, 9e18)
  );
END;

CREATE TRIGGER accounts_update_chain_words
AFTER UPDATE OF words, set_aside, far_stores_from, far_campaigns_from ON accounts
WHEN (OLD.words, OLD.set_aside, OLD.far_stores_from, OLD.far_campaigns_from)
  IS NOT (NEW.words, NEW.set_aside, NEW.far_stores_from, NEW.far_campaigns_from)
BEGIN
  DELETE FROM chain_words WHERE rowid = OLD.key;
  INSERT INTO chain_words (rowid, words) SELECT key, words FROM chain_words_due WHERE key = NEW.key;
END;

CREATE TRIGGER customers_insert_words AFTER INSERT ON customers
BEGIN
  INSERT INTO customer_words (rowid, words) SELECT key, words FROM customer_words_due WHERE key = NEW.key;
END;

CREATE TRIGGER customers_update_words AFTER UPDATE OF words, erased ON customers
WHEN OLD.words IS NOT NEW.words OR OLD.erased IS NOT NEW.erased
BEGIN
  DELETE FROM customer_words WHERE rowid = OLD.key;
  INSERT INTO customer_words (rowid, words) SELECT key, words FROM customer_words_due WHERE key = NEW.key;
END;
