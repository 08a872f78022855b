-- References are checked when the transaction ends: until then a feed request's own checks can still name the bad line.

-- A store of an account.
CREATE TABLE stores (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  latitude REAL NOT NULL, -- degrees
  longitude REAL NOT NULL, -- degrees
  store_image TEXT NOT NULL,
  address_line_1 TEXT NOT NULL,
  address_line_2 TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip TEXT NOT NULL,
  phone TEXT NOT NULL,
  words TEXT NOT NULL, -- the words that a search finds it by besides its account's, folded, each once
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  band INTEGER GENERATED ALWAYS AS (CAST(floor(latitude * 10) AS INTEGER)) VIRTUAL -- its tenth of a degree of latitude
);

-- Nearby campaigns: the stores of an account within a box, and all that their distance needs. Its first column serves
-- every query over the stores of an account.
CREATE INDEX stores_by_position ON stores (account_key, band, longitude, latitude, deleted);

-- Every query that leaves out soft-deleted stores, such as the count of stores joined. These are few: it looks here,
-- and not into each store.
CREATE INDEX stores_deleted ON stores (deleted) WHERE deleted = 1;

-- Derived: the search index of stores. It splits texts where the Worker does: to the tokenizer `ascii` every character
-- beyond ASCII is part of a word and stays as it is. Beginnings of up to six characters are looked up as they are; for
-- longer ones FTS5 first gathers all words with that beginning, which takes longer with every record. It stores no
-- contents: an entry is removed by its rowid, the store's key.
CREATE VIRTUAL TABLE store_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3 4 5 6', tokenize = ascii
);

-- The weekly merge takes segments of one size together, and two are enough: by itself FTS5 waits for four.
INSERT INTO store_words (store_words, rank) VALUES ('usermerge', 2);

-- What store_words holds, term by term: an index without contents can be compared in no other way.
CREATE VIRTUAL TABLE store_words_terms USING fts5vocab(store_words, instance);

-- Derived: the words of store_words and campaign_words, each once: those of four characters or more that begin with no
-- digit. A search that forgives a typo walks along it to find which words are like the one asked for. The feed adds words,
-- all of a request at once: a trigger for each row would take three times as long. A word stays when no entry holds it any
-- more: it finds nothing.
CREATE TABLE merchant_vocabulary (
  word TEXT PRIMARY KEY
) WITHOUT ROWID;

-- What store_words must hold: a store's own words, and those of its account's company.
CREATE VIEW expected_store_words AS
SELECT
  stores.key,
  stores.account_key,
  stores.words || ' ' || accounts.words AS words
FROM stores
JOIN accounts ON accounts.key = stores.account_key
WHERE stores.deleted = 0;

-- Indexes a new store.
CREATE TRIGGER stores_insert_words AFTER INSERT ON stores
BEGIN
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_store_words WHERE key = NEW.key;
END;

-- Indexes a store again when its words change, or when it is soft-deleted or comes back.
CREATE TRIGGER stores_update_words AFTER UPDATE OF words, deleted ON stores
WHEN OLD.words IS NOT NEW.words OR OLD.deleted IS NOT NEW.deleted
BEGIN
  DELETE FROM store_words WHERE rowid = OLD.key;
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_store_words WHERE key = NEW.key;
END;
