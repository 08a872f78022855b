-- References are looked at when the transaction ends: until then a request's own checks can still name the bad line.
CREATE TABLE stores (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  latitude REAL NOT NULL,
  longitude REAL NOT NULL,
  store_image TEXT NOT NULL,
  address_line_1 TEXT NOT NULL,
  address_line_2 TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip TEXT NOT NULL,
  phone TEXT NOT NULL,
  set_aside INTEGER NOT NULL DEFAULT 0
);

-- Positions in whole 1e-7 degrees, because an R*Tree of floats keeps 32 bits and loses points on the edge of a box.
-- The account is the third dimension, so that one chain's stores are found without reading its neighbours'.
CREATE VIRTUAL TABLE store_positions USING rtree_i32(
  key,
  min_latitude, max_latitude,
  min_longitude, max_longitude,
  min_account, max_account
);

-- What store_positions must hold. The triggers below and any rebuild read this one definition.
CREATE VIEW store_positions_due AS
SELECT
  stores.key,
  CAST(round(latitude * 1e7) AS INTEGER) AS min_latitude,
  CAST(round(latitude * 1e7) AS INTEGER) AS max_latitude,
  CAST(round(longitude * 1e7) AS INTEGER) AS min_longitude,
  CAST(round(longitude * 1e7) AS INTEGER) AS max_longitude,
  accounts.key AS min_account,
  accounts.key AS max_account
FROM stores
JOIN accounts ON accounts.id = stores.account_id
WHERE stores.set_aside = 0;

CREATE TRIGGER stores_insert_position AFTER INSERT ON stores
BEGIN
  INSERT INTO store_positions SELECT * FROM store_positions_due WHERE key = NEW.key;
END;

CREATE TRIGGER stores_update_position AFTER UPDATE OF latitude, longitude, set_aside ON stores
WHEN OLD.latitude IS NOT NEW.latitude OR OLD.longitude IS NOT NEW.longitude OR OLD.set_aside IS NOT NEW.set_aside
BEGIN
  DELETE FROM store_positions WHERE key = OLD.key;
  INSERT INTO store_positions SELECT * FROM store_positions_due WHERE key = NEW.key;
END;
