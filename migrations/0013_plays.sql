-- An employee of an account, whom leaderboards rank by plays.
CREATE TABLE employees (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  avatar TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0 -- 1: soft-deleted
);

CREATE INDEX employees_deleted ON employees (deleted) WHERE deleted = 1; -- for exports

-- A campaign of the employee incentive program (EIP).
CREATE TABLE eip_campaigns (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_key INTEGER NOT NULL REFERENCES accounts (key) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  start_date TEXT NOT NULL, -- the first day, as fed
  end_date TEXT, -- the last day; NULL: it has no end
  time_zone TEXT NOT NULL, -- the time zone of these days
  starts_at TEXT NOT NULL, -- the first second of the first day, in UTC
  ends_at TEXT NOT NULL, -- the last second of the last day, in UTC; `never` sorts last
  deleted INTEGER NOT NULL DEFAULT 0 -- 1: soft-deleted
);

-- For a leaderboard over all running campaigns.
CREATE INDEX eip_campaigns_by_account ON eip_campaigns (account_key, deleted, ends_at, starts_at);
CREATE INDEX eip_campaigns_deleted ON eip_campaigns (deleted) WHERE deleted = 1; -- for exports

-- An event: what an employee did at a location, which is a store, in a campaign.
CREATE TABLE plays (
  id TEXT PRIMARY KEY,
  eip_campaign_key INTEGER NOT NULL REFERENCES eip_campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  location_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  employee_key INTEGER NOT NULL REFERENCES employees (key) DEFERRABLE INITIALLY DEFERRED,
  runs INTEGER NOT NULL, -- in hundredths
  hits INTEGER NOT NULL,
  doubles INTEGER NOT NULL,
  triples INTEGER NOT NULL,
  played_at TEXT NOT NULL,
  request INTEGER -- the version of the request that stored it; NULL: a summary
) WITHOUT ROWID;

-- Derived: the sums of an employee's plays at a location in a campaign, for leaderboards. The feed adds to them.
CREATE TABLE play_totals (
  location_key INTEGER NOT NULL REFERENCES stores (key) DEFERRABLE INITIALLY DEFERRED,
  eip_campaign_key INTEGER NOT NULL REFERENCES eip_campaigns (key) DEFERRABLE INITIALLY DEFERRED,
  employee_key INTEGER NOT NULL REFERENCES employees (key) DEFERRABLE INITIALLY DEFERRED,
  runs INTEGER NOT NULL, -- in hundredths
  hits INTEGER NOT NULL,
  doubles INTEGER NOT NULL,
  triples INTEGER NOT NULL,
  PRIMARY KEY (location_key, eip_campaign_key, employee_key),
  CONSTRAINT play_totals_in_range CHECK (min(runs, hits, doubles, triples) >= -9007199254740991
    AND max(runs, hits, doubles, triples) <= 9007199254740991)
) WITHOUT ROWID;

-- The campaigns of the incentive program that answers show, and whether today is one of their days, in their time zone.
CREATE VIEW visible_eip_campaigns AS
SELECT *, starts_at <= (SELECT now FROM clock) AND ends_at >= (SELECT now FROM clock) AS is_running
FROM eip_campaigns WHERE deleted = 0;
