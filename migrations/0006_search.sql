-- Derived: the search indexes of stores, campaigns and customers, by the keys of the records. They split texts where the
-- Worker does: to the tokenizer `ascii` every character beyond ASCII is part of a word and stays as it is. FTS5 looks up a
-- beginning of up to six characters. It gathers all words with a longer beginning, which takes longer with every record.
CREATE VIRTUAL TABLE store_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);
CREATE VIRTUAL TABLE campaign_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);
CREATE VIRTUAL TABLE customer_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = "ascii tokenchars '+'"
);

-- The weekly merge joins two segments of one size. By default FTS5 waits for four.
INSERT INTO store_words (store_words, rank) VALUES ('usermerge', 2);
INSERT INTO campaign_words (campaign_words, rank) VALUES ('usermerge', 2);
INSERT INTO customer_words (customer_words, rank) VALUES ('usermerge', 2);

-- What they hold, term by term: an index without contents can be verified in no other way.
CREATE VIRTUAL TABLE store_words_terms USING fts5vocab(store_words, instance);
CREATE VIRTUAL TABLE campaign_words_terms USING fts5vocab(campaign_words, instance);
CREATE VIRTUAL TABLE customer_words_terms USING fts5vocab(customer_words, instance);

-- Derived: the words of store_words and campaign_words, and those of customer_words, each once, if they have four
-- characters or more and begin with no digit. A search that forgives a typo looks here for similar words. The feed adds all
-- words of a request at once: a trigger for each row would take three times as long. A merchant's word stays when no entry
-- has it any more, and finds nothing. A customer's word does not stay.
CREATE TABLE merchant_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE customer_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;

-- What each search index must hold: the words of each record that is not deleted, and beside those of a store or a campaign
-- the words of its account's company. Few customers have four words or more: "+" and the first two letters of each stand
-- beside their words. A search for four beginnings finds only them. It asks for these letters where a beginning has one or
-- two, because so many customers have such a word.
CREATE VIEW expected_words AS
SELECT 'store_words' AS search_index, stores.key, stores.account_key, stores.words || ' ' || accounts.words AS words
FROM stores JOIN accounts ON accounts.key = stores.account_key
WHERE stores.deleted = 0
UNION ALL
SELECT 'campaign_words', campaigns.key, campaigns.account_key, campaigns.words || ' ' || accounts.words
FROM campaigns JOIN accounts ON accounts.key = campaigns.account_key
WHERE campaigns.deleted = 0
UNION ALL
SELECT
  'customer_words', key, NULL,
  words || iif(
    words LIKE '% % % %',
    (
      SELECT group_concat(letters, '')
      FROM (
        SELECT DISTINCT ' +' || substr(word.value, 1, 2) AS letters
        FROM json_each('["' || replace(words, ' ', '","') || '"]') AS word
      )
    ),
    ''
  )
FROM customers
WHERE erased = 0;

-- Writes a new company name into the entries of the account's stores and campaigns. In the order of the keys: FTS5 writes
-- what it has gathered at each rowid that is lower than the one before.
CREATE TRIGGER accounts_update_words AFTER UPDATE OF words ON accounts
WHEN OLD.words IS NOT NEW.words
BEGIN
  DELETE FROM store_words WHERE rowid IN (SELECT key FROM stores WHERE account_key = NEW.key);
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'store_words' AND account_key = NEW.key ORDER BY key;
  DELETE FROM campaign_words WHERE rowid IN (SELECT key FROM campaigns WHERE account_key = NEW.key);
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'campaign_words' AND account_key = NEW.key ORDER BY key;
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
-- campaigns_update and customers_rename_or_erase do so for the others.
CREATE TRIGGER stores_update_words AFTER UPDATE OF words, deleted ON stores
WHEN (OLD.words, OLD.deleted) IS NOT (NEW.words, NEW.deleted)
BEGIN
  DELETE FROM store_words WHERE rowid = OLD.key;
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'store_words' AND key = NEW.key;
END;
