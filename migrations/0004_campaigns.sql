-- A campaign of an account, at some of its stores or at all of them.
CREATE TABLE campaigns (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  campaign_description TEXT NOT NULL,
  campaign_image TEXT NOT NULL,
  campaign_start_date TEXT NOT NULL, -- the first day, as fed
  campaign_end_date TEXT, -- the last day; NULL: it has no end
  time_zone TEXT NOT NULL, -- the time zone of these days
  starts_at TEXT NOT NULL, -- the first second of the first day, in UTC
  ends_at TEXT NOT NULL, -- the last second of the last day, in UTC; `never` sorts last
  status INTEGER NOT NULL, -- 1: it runs within its dates; other values: never
  details TEXT NOT NULL, -- JSON: fields of a search result that no query looks at
  words TEXT NOT NULL, -- the words of its name and description, folded, each once
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  listed_stores TEXT, -- JSON: the keys of its stores; NULL: all of its account. Last, because it can be long
  for_all INTEGER GENERATED ALWAYS AS (listed_stores IS NULL) VIRTUAL -- 1: for all stores of its account
);

-- The campaigns of an account that may run now, for nearby campaigns and for the count in a search result. Nearby
-- campaigns that have earned nothing are listed by id, as here, so a query reads no further than its list.
CREATE INDEX campaigns_by_account ON campaigns (
  account_key, deleted, status, for_all, id, starts_at, ends_at
);

CREATE INDEX campaigns_deleted ON campaigns (deleted) WHERE deleted = 1; -- for exports

-- Derived: the stores that a campaign lists now; triggers follow `listed_stores`. Like the next table it is sorted by
-- store, because a query for nearby campaigns begins with the stores in range.
CREATE TABLE campaign_stores (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (store_key, campaign_key)
) WITHOUT ROWID;

-- Derived: the sum of the positive balance entries of a campaign at a store, whether it lists the store or not. The feed
-- adds to it.
CREATE TABLE campaign_earnings (
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_key INTEGER NOT NULL REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  earned INTEGER NOT NULL, -- in hundredths
  PRIMARY KEY (store_key, campaign_key),
  CONSTRAINT campaign_earnings CHECK (earned <= 9007199254740991)
) WITHOUT ROWID;

-- A new campaign has a row for each store that it lists, and an entry in the search index (0006_search.sql).
CREATE TRIGGER campaigns_insert AFTER INSERT ON campaigns
BEGIN
  INSERT INTO campaign_stores (store_key, campaign_key) SELECT value, NEW.key FROM json_each(NEW.listed_stores);
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_words
  WHERE search_index = 'campaign_words' AND key = NEW.key;
END;

-- Updates the rows for a new list of stores.
-- Writes the entry in the search index again when the words change, or when the campaign is soft-deleted or comes back.
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
END;

-- The campaigns that run now. Today must be a day of the campaign, in its time zone.
CREATE VIEW running_campaigns AS
SELECT * FROM campaigns
WHERE deleted = 0 AND status = 1 AND starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock);
