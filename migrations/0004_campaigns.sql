-- `details` holds, as JSON text, the fields of 2.8 that no query looks into.
CREATE TABLE campaigns (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  campaign_description TEXT NOT NULL,
  campaign_image TEXT NOT NULL,
  campaign_start_date TEXT NOT NULL,
  campaign_end_date TEXT,
  status INTEGER NOT NULL,
  details TEXT NOT NULL,
  all_stores INTEGER NOT NULL,
  set_aside INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX campaigns_by_account ON campaigns (account_id);

-- A campaign at a store: whether the campaign lists the store now, and what it has earned there, in hundredths.
-- A campaign for all stores has a row only where it has earned something.
CREATE TABLE campaign_stores (
  campaign_id TEXT NOT NULL REFERENCES campaigns (id) DEFERRABLE INITIALLY DEFERRED,
  store_id TEXT NOT NULL REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED,
  listed INTEGER NOT NULL DEFAULT 0,
  earned INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign_id, store_id)
) WITHOUT ROWID;
