-- A merchant's account: a chain of stores, or a single one.
CREATE TABLE accounts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  company TEXT NOT NULL,
  fields TEXT NOT NULL, -- JSON: the account object of the interface, as fed, without its loyalty options
  loyalty_options TEXT, -- JSON, as fed without the `mailer_*` fields; NULL: it has none
  folded_names TEXT NOT NULL, -- `company` and the options' `chain_display_name`, folded: what a coupon search compares
  words TEXT NOT NULL, -- the words of `company`, folded, each once
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

-- Follows a new company name in the entries of the account's stores and campaigns, which hold its words.
CREATE TRIGGER accounts_update_words AFTER UPDATE OF words ON accounts
WHEN OLD.words IS NOT NEW.words
BEGIN
  DELETE FROM store_words WHERE rowid IN (SELECT key FROM stores WHERE account_key = NEW.key);
  INSERT INTO store_words (rowid, words) SELECT key, words FROM expected_store_words WHERE account_key = NEW.key;
  DELETE FROM campaign_words WHERE rowid IN (SELECT key FROM campaigns WHERE account_key = NEW.key);
  INSERT INTO campaign_words (rowid, words) SELECT key, words FROM expected_campaign_words WHERE account_key = NEW.key;
END;
