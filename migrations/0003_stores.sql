-- SQLite checks references when the transaction ends, so the checks of the feed come first and can name the bad line.

-- A store of an account.
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

-- The few with so many words that a search does not test the text of their words (docs/contract/interface.md, 4.6).
CREATE INDEX stores_with_many_words ON stores (octet_length(words)) WHERE octet_length(words) > 400;

-- The stores of an account within a box, with all columns that their distance needs.
CREATE INDEX stores_by_position ON stores (account_key, band, longitude, latitude, deleted);

-- Few stores are soft-deleted. So a query that leaves them out looks here, not into each store.
CREATE INDEX stores_deleted ON stores (deleted) WHERE deleted = 1;
CREATE INDEX stores_deleted_of_account ON stores (account_key) WHERE deleted = 1;

-- The stores that answers show: those of a soft-deleted account count as soft-deleted (docs/contract/feed.md, 2).
CREATE VIEW visible_stores AS
SELECT * FROM stores
WHERE deleted = 0 AND NOT EXISTS (
  SELECT 1 FROM accounts INDEXED BY accounts_deleted WHERE accounts.deleted = 1 AND accounts.key = stores.account_key
);
