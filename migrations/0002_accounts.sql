-- A merchant's account: a chain of stores, or a single one.
CREATE TABLE accounts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  company TEXT NOT NULL,
  folded_names TEXT NOT NULL, -- `company` and the options' `chain_display_name`, folded: what a coupon search compares
  words TEXT NOT NULL, -- the words of `company`, folded, each once
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  fields TEXT NOT NULL, -- JSON: the members that the account object has in every answer
  agreement_type TEXT, -- JSON, as fed: only search results have it
  core_tenant_id TEXT, -- JSON, as fed: only coupon lists have it
  core_app_account_id TEXT, -- JSON, as fed: only coupon lists have it
  loyalty_options TEXT, -- JSON: only coupon lists have them, without the `mailer_*` fields and the logo; NULL: none
  chain_logo TEXT -- of the loyalty options; large, and answered only where a request asks for images
);

-- Every query that leaves out what belongs to a soft-deleted account. These are few: it looks here, and not into the
-- account of each row.
CREATE INDEX accounts_deleted ON accounts (deleted) WHERE deleted = 1;

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
