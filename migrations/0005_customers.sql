-- `balance` is over all stores, in hundredths; `stores_count` counts the stores joined. An erased customer keeps the bare
-- id, the balance and the key.
CREATE TABLE customers (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  scan_id TEXT NOT NULL,
  date_of_birth TEXT,
  address_line_1 TEXT NOT NULL,
  address_line_2 TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip TEXT NOT NULL,
  customer_description TEXT NOT NULL,
  avatar TEXT NOT NULL,
  balance INTEGER NOT NULL DEFAULT 0,
  stores_count INTEGER NOT NULL DEFAULT 0,
  erased INTEGER NOT NULL DEFAULT 0,
  name TEXT GENERATED ALWAYS AS (iif(erased = 1, '', first_name || ' ' || last_name)) VIRTUAL
);
