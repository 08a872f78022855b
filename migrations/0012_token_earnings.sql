-- Tokens are in hundredths. Without a rowid: an earning is one row written.
CREATE TABLE token_earnings (
  id TEXT PRIMARY KEY,
  store_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  level_no INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  earned_at TEXT NOT NULL,
  FOREIGN KEY (store_id, customer_id) REFERENCES memberships DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

-- What a member has earned from each level, in hundredths: beside the level's members, so that a team's page reads both
-- in one row.
ALTER TABLE memberships ADD COLUMN tokens_1 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memberships ADD COLUMN tokens_2 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memberships ADD COLUMN tokens_3 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memberships ADD COLUMN tokens_4 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memberships ADD COLUMN tokens_5 INTEGER NOT NULL DEFAULT 0;

-- What is set aside, which is little or nothing: a count of stores joined need not look at each store to leave it out.
CREATE INDEX stores_set_aside ON stores (id) WHERE set_aside = 1;
CREATE INDEX accounts_set_aside ON accounts (id) WHERE set_aside = 1;
