-- A coupon of an account. One of kind `store` or `mfg` is issued to customers, see customer_coupons. A `digital` one
-- reaches every customer who has joined a store of the account.
CREATE TABLE coupons (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL, -- `store`, `mfg` or `digital`
  campaign_key INTEGER REFERENCES campaigns (key) DEFERRABLE INITIALLY DEFERRED, -- NULL: of no campaign
  source_campaign_id TEXT, -- plain text, no reference
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  value TEXT NOT NULL, -- a decimal, as fed
  header_lines TEXT NOT NULL, -- JSON: an array of texts
  text_lines TEXT NOT NULL, -- JSON: an array of texts
  can_expire INTEGER NOT NULL, -- 1: it ends at `expiration_date`
  expiration_type TEXT NOT NULL,
  expiration_date TEXT,
  expiration TEXT NOT NULL,
  once_per_sale INTEGER NOT NULL,
  filter_items TEXT, -- JSON, as fed
  coupon_barcode TEXT NOT NULL, -- digits, with leading zeros
  is_custom INTEGER NOT NULL,
  can_combine_with_other INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  folded_type TEXT NOT NULL, -- `type`, folded: what a filter compares
  folded_text TEXT NOT NULL, -- the name and the lines, folded: what a coupon search compares
  deleted INTEGER NOT NULL DEFAULT 0, -- 1: soft-deleted
  ends_at TEXT GENERATED ALWAYS AS (iif(can_expire = 1, coalesce(expiration_date, 'never'), 'never')) VIRTUAL -- `never` sorts last
);

-- The combined list: the digital coupons of an account, soonest end first. Other coupons are found by the customer who
-- holds them.
CREATE INDEX coupons_digital ON coupons (account_key, ends_at) WHERE kind = 'digital';

-- Export: the soft-deleted coupons.
CREATE INDEX coupons_deleted ON coupons (deleted) WHERE deleted = 1;

-- Derived: the parts of a coupon's answer that are the same for every customer, so that a list of a hundred coupons is
-- put together from text.
CREATE TABLE coupon_json (
  key INTEGER PRIMARY KEY, -- the coupon's
  text TEXT NOT NULL, -- JSON: the fields that every form of the coupon has
  record TEXT NOT NULL, -- JSON: what a record has besides, whether of a digital coupon or of one that a customer holds
  detail TEXT NOT NULL -- JSON: what a record's `campaign_coupon` has besides
);

-- What coupon_json must hold.
CREATE VIEW expected_coupon_json AS
SELECT
  coupons.key,
  json_object(
    'account_id', accounts.id, 'name', coupons.name, 'type', type, 'value', value,
    'header_lines', json(header_lines), 'text_lines', json(text_lines), 'can_expire', can_expire,
    'expiration_type', expiration_type, 'expiration', expiration, 'once_per_sale', once_per_sale,
    'expiration_date', expiration_date
  ) AS text,
  iif(kind = 'digital', json_object(
    'id', coupons.id, 'coupon_barcode', coupon_barcode, 'is_digital', 1, 'is_custom', is_custom,
    'can_combine_with_other', can_combine_with_other, 'created_at', created_at
  ), json_object(
    'campaign_coupon_id', coupons.id, 'campaign_id', coalesce(campaigns.id, ''),
    'coupon_barcode', CAST(coupon_barcode AS INTEGER), 'campaign_coupon_created', created_at
  )) AS record,
  json_object(
    'id', coupons.id, 'campaign_id', coalesce(campaigns.id, ''), 'source_campaign_id', source_campaign_id,
    'filter_items', json(filter_items), 'coupon_barcode', CAST(coupon_barcode AS INTEGER)
  ) AS detail
FROM coupons
JOIN accounts ON accounts.key = coupons.account_key
LEFT JOIN campaigns ON campaigns.key = coupons.campaign_key;

-- Adds the texts of a new coupon.
CREATE TRIGGER coupons_insert_json AFTER INSERT ON coupons
BEGIN
  INSERT INTO coupon_json (key, text, record, detail)
  SELECT key, text, record, detail FROM expected_coupon_json WHERE key = NEW.key;
END;

-- Replaces the texts where they have changed.
CREATE TRIGGER coupons_update_json AFTER UPDATE ON coupons
BEGIN
  UPDATE coupon_json SET text = expected.text, record = expected.record, detail = expected.detail
  FROM expected_coupon_json AS expected
  WHERE expected.key = NEW.key AND coupon_json.key = NEW.key
    AND (coupon_json.text, coupon_json.record, coupon_json.detail)
      IS NOT (expected.text, expected.record, expected.detail);
END;

-- A coupon of kind `store` or `mfg` that was issued to a customer at a store. Nothing refers to it, so it has no key.
CREATE TABLE customer_coupons (
  id TEXT PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customers (key) DEFERRABLE INITIALLY DEFERRED,
  campaign_coupon_key INTEGER NOT NULL REFERENCES coupons (key) DEFERRABLE INITIALLY DEFERRED,
  store_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  coupon_id TEXT, -- plain text, no reference
  expected_end_date TEXT,
  creation_method TEXT NOT NULL,
  reserved INTEGER NOT NULL,
  total_count INTEGER NOT NULL, -- how often it may be used
  usage_count INTEGER NOT NULL, -- how often it was used
  created_at TEXT NOT NULL,
  updated_at TEXT,
  deleted_at TEXT, -- as fed; NULL: not deleted
  ends_at TEXT GENERATED ALWAYS AS (coalesce(expected_end_date, 'never')) VIRTUAL, -- the coupon's end may be earlier
  usable INTEGER GENERATED ALWAYS AS (deleted_at IS NULL AND usage_count < total_count) VIRTUAL -- 1: can be used
) WITHOUT ROWID;

-- Both coupon lists: a customer's usable coupons, soonest end first, and all that filters and order look at before the
-- list is cut to a page. So a coupon beyond the page costs one entry here, and what was used up or has ended costs
-- nothing.
CREATE INDEX customer_coupons_usable ON customer_coupons (
  customer_key, usable, ends_at, campaign_coupon_key, store_key, created_at
);
