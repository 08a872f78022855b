-- A merchant's account: a chain of stores, or a single one.
CREATE TABLE accounts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  company TEXT NOT NULL,
  folded_names TEXT NOT NULL, -- `company` and `chain_display_name` of the options, folded, for a coupon search
  words TEXT NOT NULL, -- the words of `company`, folded, each once
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  fields TEXT NOT NULL, -- JSON: the fields that the account object has in every answer
  agreement_type TEXT, -- JSON, as fed: only search results have it
  core_tenant_id TEXT, -- JSON, as fed: only coupon lists have it
  core_app_account_id TEXT, -- JSON, as fed: only coupon lists have it
  loyalty_options TEXT, -- JSON: only coupon lists have them, without the `mailer_*` fields and the logo; NULL: none
  chain_logo TEXT -- of the loyalty options; large, and answered only where a request asks for images
);

-- Few accounts are soft-deleted, so a query that leaves out their stores or campaigns looks here.
CREATE INDEX accounts_deleted ON accounts (deleted) WHERE deleted = 1;

-- The accounts that answers show. A view only gains columns: the Worker before a deployment still reads it. A column or
-- a condition with another meaning is a view with another name.
CREATE VIEW visible_accounts AS SELECT * FROM accounts WHERE deleted = 0;
