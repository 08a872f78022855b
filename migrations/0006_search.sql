-- Derived: the search indexes of stores, campaigns and customers. They split texts where the Worker does: to the tokenizer
-- `ascii` every character beyond ASCII is part of a word and stays as it is. Beginnings of up to six characters are looked
-- up as they are; for longer ones FTS5 first gathers all words with that beginning, which takes longer with every record.
-- They store no contents: an entry is removed by its rowid, the record's key. "+" begins what stands beside the words.
CREATE VIRTUAL TABLE store_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);
CREATE VIRTUAL TABLE campaign_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);
CREATE VIRTUAL TABLE customer_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = "ascii tokenchars '+'"
);

-- The weekly merge takes segments of one size together, and two are enough: by itself FTS5 waits for four.
INSERT INTO store_words (store_words, rank) VALUES ('usermerge', 2);
INSERT INTO campaign_words (campaign_words, rank) VALUES ('usermerge', 2);
INSERT INTO customer_words (customer_words, rank) VALUES ('usermerge', 2);

-- What they hold, term by term: an index without contents can be compared in no other way.
CREATE VIRTUAL TABLE store_words_terms USING fts5vocab(store_words, instance);
CREATE VIRTUAL TABLE campaign_words_terms USING fts5vocab(campaign_words, instance);
CREATE VIRTUAL TABLE customer_words_terms USING fts5vocab(customer_words, instance);

-- Derived: the words of store_words and campaign_words, and those of customer_words, each once: those of four characters or
-- more that begin with no digit. A search that forgives a typo walks along them to find which words are like the one asked
-- for. The feed adds words, all of a request at once: a trigger for each row would take three times as long. A merchant's
-- word stays when no entry holds it any more: it finds nothing. A customer's does not.
CREATE TABLE merchant_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE customer_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;

-- What store_words must hold: a store's own words, and those of its account's company.
CREATE VIEW expected_store_words AS
SELECT stores.key, stores.account_key, stores.words || ' ' || accounts.words AS words
FROM stores JOIN accounts ON accounts.key = stores.account_key
WHERE stores.deleted = 0;

-- What campaign_words must hold, in the same way.
CREATE VIEW expected_campaign_words AS
SELECT campaigns.key, campaigns.account_key, campaigns.words || ' ' || accounts.words AS words
FROM campaigns JOIN accounts ON accounts.key = campaigns.account_key
WHERE campaigns.deleted = 0;

-- What customer_words must hold: the words of everyone who is not erased. Where they are four or more, as few people
-- have, "+" and the first two letters of each stand beside them. A search for four beginnings can be met by nobody else,
-- and asks for these where a beginning has one or two letters: the lists of all who have such a word are long.
CREATE VIEW expected_customer_words AS
SELECT
  key,
  iif(
    words LIKE '% % % %',
    words || (
      SELECT group_concat(letters, '')
      FROM (
        SELECT DISTINCT ' +' || substr(word.value, 1, 2) AS letters
        FROM json_each('["' || replace(words, ' ', '","') || '"]') AS word
      )
    ),
    words
  ) AS words
FROM customers
WHERE erased = 0;

-- Follows a new company name in the entries of the account's stores and campaigns, which hold its words. In the order of
-- the keys: FTS5 writes what it has gathered at each rowid that is lower than the one before.
CREATE TRIGGER accounts_update_words AFTER UPDATE OF words ON accounts
WHEN OLD.words IS NOT NEW.words
BEGIN
  DELETE FROM store_words WHERE rowid IN (SELECT key FROM stores WHERE account_key = NEW.key);
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_store_words WHERE account_key = NEW.key
  ORDER BY key;
  DELETE FROM campaign_words WHERE rowid IN (SELECT key FROM campaigns WHERE account_key = NEW.key);
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_campaign_words WHERE account_key = NEW.key
  ORDER BY key;
END;

-- Index a new store and a new customer; campaigns_insert indexes a campaign.
CREATE TRIGGER stores_insert_words AFTER INSERT ON stores
BEGIN
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_store_words WHERE key = NEW.key;
END;
CREATE TRIGGER customers_insert_words AFTER INSERT ON customers
BEGIN
  INSERT INTO customer_words (rowid, words) SELECT key, words FROM expected_customer_words WHERE key = NEW.key;
END;

-- Index a store or a campaign again when its words change, or when it is soft-deleted or comes back;
-- customers_rename_or_erase does so for a customer.
CREATE TRIGGER stores_update_words AFTER UPDATE OF words, deleted ON stores
WHEN OLD.words IS NOT NEW.words OR OLD.deleted IS NOT NEW.deleted
BEGIN
  DELETE FROM store_words WHERE rowid = OLD.key;
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_store_words WHERE key = NEW.key;
END;
CREATE TRIGGER campaigns_update_words AFTER UPDATE OF words, deleted ON campaigns
WHEN OLD.words IS NOT NEW.words OR OLD.deleted IS NOT NEW.deleted
BEGIN
  DELETE FROM campaign_words WHERE rowid = OLD.key;
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_campaign_words WHERE key = NEW.key;
END;
