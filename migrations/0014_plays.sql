CREATE TABLE employees (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  avatar TEXT NOT NULL,
  set_aside INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE eip_campaigns (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  start_date TEXT NOT NULL,
  end_date TEXT,
  set_aside INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX eip_campaigns_by_account ON eip_campaigns (account_id);

-- `runs` is in hundredths. Without a rowid: a play is one row written.
CREATE TABLE plays (
  id TEXT PRIMARY KEY,
  eip_campaign_id TEXT NOT NULL REFERENCES eip_campaigns (id) DEFERRABLE INITIALLY DEFERRED,
  location_id TEXT NOT NULL REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED,
  employee_id TEXT NOT NULL REFERENCES employees (id) DEFERRABLE INITIALLY DEFERRED,
  runs INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  doubles INTEGER NOT NULL,
  triples INTEGER NOT NULL,
  played_at TEXT NOT NULL
) WITHOUT ROWID;

-- What an employee's plays at a location in a campaign come to; the feed adds to it once a request.
CREATE TABLE play_totals (
  location_id TEXT NOT NULL REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED,
  eip_campaign_id TEXT NOT NULL REFERENCES eip_campaigns (id) DEFERRABLE INITIALLY DEFERRED,
  employee_id TEXT NOT NULL REFERENCES employees (id) DEFERRABLE INITIALLY DEFERRED,
  runs INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  doubles INTEGER NOT NULL,
  triples INTEGER NOT NULL,
  PRIMARY KEY (location_id, eip_campaign_id, employee_id)
) WITHOUT ROWID;
