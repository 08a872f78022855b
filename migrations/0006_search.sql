-- Derived: the search indexes of stores, campaigns and customers, by the keys of the records. The tokenizer `ascii`
-- splits texts only at ASCII characters, so it leaves the words as the Worker made them. FTS5 looks up the beginning of
-- a word if it has up to six characters. For a longer beginning it gathers all words that begin so.
CREATE VIRTUAL TABLE store_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);
CREATE VIRTUAL TABLE campaign_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);
CREATE VIRTUAL TABLE customer_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);

-- The daily merge joins two segments of one size. By default FTS5 waits for four.
INSERT INTO store_words (store_words, rank) VALUES ('usermerge', 2);
INSERT INTO campaign_words (campaign_words, rank) VALUES ('usermerge', 2);
INSERT INTO customer_words (customer_words, rank) VALUES ('usermerge', 2);

-- The words in the indexes, one by one: the only way to verify an index without contents.
CREATE VIRTUAL TABLE store_words_terms USING fts5vocab(store_words, instance);
CREATE VIRTUAL TABLE campaign_words_terms USING fts5vocab(campaign_words, instance);
CREATE VIRTUAL TABLE customer_words_terms USING fts5vocab(customer_words, instance);

-- Derived: the words of store_words and campaign_words, and the words of customer_words, if they have four characters
-- or more and begin with a letter of a script in which typos are forgiven. A search that forgives a typo looks here for
-- similar words. The feed adds all words of a request at once, because a trigger for each row would take three times as
-- long. A word that no entry has any more is removed: a customer's at once, a merchant's by a job.
CREATE TABLE merchant_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE customer_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;

-- Soft-deleted accounts whose stores and campaigns still have entries. A job removes these entries in steps. Until then
-- a search may look at them, although it finds none.
CREATE TABLE removed_accounts (
  account_key INTEGER PRIMARY KEY
);

-- The words of merchants' records before they changed, one row for each change. No record may have them any more. A job
-- removes those from the vocabulary that no entry has.
CREATE TABLE removed_words (
  key INTEGER PRIMARY KEY,
  words TEXT NOT NULL
);

-- The words that each search index must have: the words of each record that is not deleted; for a store or a campaign
-- also the words of its account's company, if the account is not deleted.
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

-- Writes the entries of the account's stores and campaigns again when its company gets another name, or when the account
-- comes back, and then their words, which a job may have removed. This is in the order of the keys, because FTS5 writes
-- a segment whenever a rowid is lower than the rowid before.
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

-- An account may have more stores than one request should write.
CREATE TRIGGER accounts_soft_delete_words AFTER UPDATE OF deleted ON accounts
WHEN OLD.deleted < NEW.deleted
BEGIN
  INSERT INTO removed_accounts (account_key) VALUES (NEW.key) ON CONFLICT DO NOTHING;
END;

-- A new store, customer or campaign (0004_campaigns.sql) gets an entry.
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

-- Writes the entry of a store again when its words change, or when it is soft-deleted or comes back. The triggers
-- campaigns_update and customers_rename_or_erase do the same for campaigns and customers.
CREATE TRIGGER stores_update_words AFTER UPDATE OF words, deleted ON stores
WHEN (OLD.words, OLD.deleted) IS NOT (NEW.words, NEW.deleted)
BEGIN
  DELETE FROM store_words WHERE rowid = OLD.key;
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'store_words' AND key = NEW.key;
  INSERT INTO removed_words (words) VALUES (OLD.words);
END;
