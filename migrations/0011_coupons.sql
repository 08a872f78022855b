-- A coupon of an account. A coupon of kind `store` or `mfg` is issued to customers (customer_coupons). A `digital`
-- coupon reaches every customer who has joined a store of the account.
CREATE TABLE coupons (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL, -- `store`, `mfg` or `digital`
  campaign_id TEXT, -- the id of the campaign, not its key, because answers show the id; NULL: no campaign
  source_campaign_id TEXT, -- plain text, no reference
  filter_items TEXT, -- JSON, as fed
  coupon_barcode TEXT NOT NULL, -- digits, with leading zeros
  is_custom INTEGER NOT NULL,
  can_combine_with_other INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  expiration_date TEXT, -- as fed: a time, or a date in the time zone. The column `text` has it in UTC, for answers
  time_zone TEXT NOT NULL, -- the time zone of a fed date
  ends_at TEXT NOT NULL, -- the last valid second, in UTC; `never` sorts last
  folded_type TEXT NOT NULL, -- the type, folded, for a filter
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  text TEXT NOT NULL, -- JSON: the fields that the coupon has in every answer
  folded_text TEXT NOT NULL -- the name and the lines, folded, for a coupon search
);

-- The digital coupons of an account, soonest end first. Other coupons are found through customer_coupons.
CREATE INDEX coupons_digital ON coupons (account_key, ends_at) WHERE kind = 'digital' AND deleted = 0;

CREATE INDEX coupons_deleted ON coupons (deleted) WHERE deleted = 1; -- for exports

-- A coupon of kind `store` or `mfg` that was issued to a customer at a store. Others refer to it by its id.
-- A delete keeps it, because its uses still count.
CREATE TABLE customer_coupons (
  id TEXT PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_coupon_key INTEGER NOT NULL REFERENCES coupons (key) DEFERRABLE INITIALLY DEFERRED,
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL, -- that of the coupon, which never changes, for the index
  coupon_id TEXT, -- plain text, no reference
  expected_end_date TEXT, -- as fed: a time, or a date in the time zone. Answers show `ends_at`
  creation_method TEXT NOT NULL,
  reserved INTEGER NOT NULL,
  total_count INTEGER NOT NULL, -- how often it may be used
  usage_count INTEGER NOT NULL, -- how often it was used, as fed
  redeemed INTEGER NOT NULL DEFAULT 0, -- derived: its redemptions less their reversals; the feed and tills add to it
  created_at TEXT NOT NULL,
  updated_at TEXT,
  deleted_at TEXT, -- as fed; NULL: not deleted
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  time_zone TEXT NOT NULL, -- the time zone of a fed date
  ends_at TEXT NOT NULL, -- the last valid second, in UTC; `never` sorts last. The coupon itself may end earlier
  not_withdrawn INTEGER GENERATED ALWAYS AS (deleted = 0 AND deleted_at IS NULL) VIRTUAL,
  not_used_up INTEGER GENERATED ALWAYS AS (usage_count + redeemed < total_count) VIRTUAL,
  usable INTEGER GENERATED ALWAYS AS (not_withdrawn AND not_used_up) VIRTUAL -- 1: can be used
) WITHOUT ROWID;

-- A customer's usable coupons of a kind, soonest end first, with all columns that are read before a list is cut to a page. So a
-- coupon beyond the page costs one entry of this index, and a coupon that was used up, deleted or has ended costs nothing.
CREATE INDEX customer_coupons_usable ON customer_coupons (
  customer_key, usable, kind, ends_at, campaign_coupon_key, store_key, created_at
);

CREATE INDEX customer_coupons_deleted ON customer_coupons (id) WHERE deleted = 1; -- for exports

-- Why a coupon is shown: a column for each condition of a coupon list (docs/contract/till.md, 4). Lists ask that all hold. An
-- explanation shows each, and a till is refused by those that do not hold. These are the conditions of a coupon of any kind.
CREATE VIEW coupon_checks AS
SELECT
  coupons.key, coupons.id, coupons.kind, coupons.account_key, coupons.ends_at, coupons.created_at,
  octet_length(coupons.text) AS coupon_bytes, coupons.folded_type, coupons.folded_text,
  coupons.deleted = 0 AS coupon_not_deleted,
  NOT EXISTS (
    SELECT 1 FROM accounts INDEXED BY accounts_deleted WHERE deleted = 1 AND accounts.key = coupons.account_key
  ) AS account_not_deleted,
  coupons.ends_at >= (SELECT now FROM clock) AS coupon_end_not_passed
FROM coupons;

-- The conditions of a coupon that a customer holds. A coupon is valid until the last second of its end. A list also asks for
-- `usable`, which is `not_withdrawn` and `not_used_up` in one column of its index.
CREATE VIEW held_coupon_checks AS
SELECT
  customer_coupons.id, customer_coupons.customer_key, customer_coupons.kind, customer_coupons.created_at,
  customer_coupons.store_key, customer_coupons.usable, customer_coupons.ends_at AS own_ends_at,
  coupon_checks.key AS coupon_key, coupon_checks.account_key, coupon_checks.ends_at AS coupon_ends_at,
  coupon_checks.coupon_bytes, coupon_checks.folded_type, coupon_checks.folded_text,
  coupon_checks.coupon_not_deleted, coupon_checks.account_not_deleted,
  NOT EXISTS (
    SELECT 1 FROM stores INDEXED BY stores_deleted WHERE deleted = 1 AND stores.key = customer_coupons.store_key
  ) AS store_not_deleted,
  customer_coupons.not_withdrawn, customer_coupons.not_used_up,
  customer_coupons.ends_at >= (SELECT now FROM clock) AS own_end_not_passed,
  coupon_checks.coupon_end_not_passed
FROM customer_coupons CROSS JOIN coupon_checks ON coupon_checks.key = customer_coupons.campaign_coupon_key;

-- The store and mfg coupons that a customer holds and can use now. The index has the columns of customer_coupons, so a list
-- reads their rows only for its page.
CREATE VIEW held_coupons AS
SELECT
  customer_key, kind, min(own_ends_at, coupon_ends_at) AS ends_at, created_at, id, id AS issued_id, store_key,
  coupon_key, account_key, coupon_bytes, folded_type, folded_text
FROM held_coupon_checks
WHERE usable = 1 AND coupon_not_deleted AND account_not_deleted AND store_not_deleted
  AND own_end_not_passed AND coupon_end_not_passed;

-- The valid digital coupons of the accounts whose stores a customer has joined. Nobody holds them.
CREATE VIEW digital_coupons AS
SELECT
  holdings.customer_key, coupon_checks.kind, coupon_checks.ends_at, coupon_checks.created_at, coupon_checks.id,
  NULL AS issued_id, NULL AS store_key, coupon_checks.key AS coupon_key, coupon_checks.account_key,
  coupon_checks.coupon_bytes, coupon_checks.folded_type, coupon_checks.folded_text
FROM holdings CROSS JOIN coupon_checks
  ON coupon_checks.account_key = holdings.account_key AND coupon_checks.kind = 'digital'
WHERE holdings.joined_a_store AND coupon_not_deleted AND account_not_deleted AND coupon_end_not_passed;
