-- The names of the chain as a search compares them: `company` and the loyalty options' `chain_display_name`, folded.
ALTER TABLE accounts ADD COLUMN folded_names TEXT NOT NULL DEFAULT '';

-- An end is a time, or 'never', which comes after every time. `folded_text` holds what a search looks into, the name
-- and the lines, as it compares them; the lines and `filter_items` are JSON text.
CREATE TABLE coupons (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL,
  campaign_id TEXT REFERENCES campaigns (id) DEFERRABLE INITIALLY DEFERRED,
  source_campaign_id TEXT,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  value TEXT NOT NULL,
  header_lines TEXT NOT NULL,
  text_lines TEXT NOT NULL,
  can_expire INTEGER NOT NULL,
  expiration_type TEXT NOT NULL,
  expiration_date TEXT,
  expiration TEXT NOT NULL,
  once_per_sale INTEGER NOT NULL,
  filter_items TEXT,
  coupon_barcode TEXT NOT NULL,
  is_custom INTEGER NOT NULL,
  can_combine_with_other INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  folded_type TEXT NOT NULL,
  folded_text TEXT NOT NULL,
  set_aside INTEGER NOT NULL DEFAULT 0,
  ends_at TEXT GENERATED ALWAYS AS (iif(can_expire = 1, coalesce(expiration_date, 'never'), 'never')) VIRTUAL
);

-- Only digital coupons are found by their account; the others are found by the customer who holds them.
CREATE INDEX coupons_digital ON coupons (account_id, ends_at) WHERE kind = 'digital';

-- A coupon of kind store or mfg that was issued to a customer at a store. `ends_at` is this coupon's own end: that of
-- the coupon it was made from may be earlier.
CREATE TABLE customer_coupons (
  id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  campaign_coupon_id TEXT NOT NULL REFERENCES coupons (id) DEFERRABLE INITIALLY DEFERRED,
  store_id TEXT NOT NULL REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED,
  coupon_id TEXT,
  expected_end_date TEXT,
  creation_method TEXT NOT NULL,
  reserved INTEGER NOT NULL,
  total_count INTEGER NOT NULL,
  usage_count INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT,
  deleted_at TEXT,
  ends_at TEXT GENERATED ALWAYS AS (coalesce(expected_end_date, 'never')) VIRTUAL,
  usable INTEGER GENERATED ALWAYS AS (deleted_at IS NULL AND usage_count < total_count) VIRTUAL
) WITHOUT ROWID;

-- What was used up or has ended is passed over, however much of it there is.
CREATE INDEX customer_coupons_by_customer ON customer_coupons (customer_id, usable, ends_at);

CREATE TRIGGER customers_erase_coupons AFTER UPDATE OF erased ON customers
WHEN OLD.erased = 0 AND NEW.erased = 1
BEGIN
  DELETE FROM customer_coupons WHERE customer_id = NEW.id;
END;
