CREATE TABLE registrations (
  customer_id TEXT NOT NULL REFERENCES customers (id) DEFERRABLE INITIALLY DEFERRED,
  campaign_id TEXT NOT NULL REFERENCES campaigns (id) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (customer_id, campaign_id)
) WITHOUT ROWID;

CREATE TRIGGER customers_erase_registrations AFTER UPDATE OF erased ON customers
WHEN OLD.erased = 0 AND NEW.erased = 1
BEGIN
  DELETE FROM registrations WHERE customer_id = NEW.id;
END;
