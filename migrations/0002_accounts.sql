-- `key` numbers the accounts in the order in which they were first stored; the R*Tree holds it instead of the id.
-- `fields` is the account object of the interface (2.6) as JSON text, `loyalty_options` that of 2.7 or NULL.
CREATE TABLE accounts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  company TEXT NOT NULL,
  fields TEXT NOT NULL,
  loyalty_options TEXT,
  set_aside INTEGER NOT NULL DEFAULT 0
);
