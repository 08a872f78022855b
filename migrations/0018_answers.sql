-- The parts of answers that are the same for every customer, as the JSON text that goes out: a list of a hundred coupons
-- is then put together from text, where it would be made cell by cell. What each part must be is in a view, `…_due`;
-- the triggers keep the tables as the views have it.

-- The account object of the interface (2.6) as the coupon lists show it, without the chain's logo: hardly longer than the
-- row that it is made of, so it is stored wherever that one is. The `mailer_*` of the loyalty options are credentials:
-- never stored, always "". Where an account has no options, json_patch() is NULL and json_set() writes null.
CREATE VIEW account_answers_due AS
SELECT
  key,
  json_set(
    json_remove(fields, '$.agreement_type'),
    '$.loyalty_options', json_patch(loyalty_options, json_object(
      'chain_logo', '', 'mailer_domain', '', 'mailer_secret', '', 'mailer_endpoint', '', 'mailer_username', '',
      'mailer_password', '', 'mailer_from_email', '', 'mailer_from_name', ''
    ))
  ) AS coupons
FROM accounts;

CREATE TABLE account_answers (
  key INTEGER PRIMARY KEY,
  coupons TEXT NOT NULL
);

INSERT INTO account_answers SELECT * FROM account_answers_due;

CREATE TRIGGER accounts_insert_answers AFTER INSERT ON accounts
BEGIN
  INSERT INTO account_answers SELECT * FROM account_answers_due WHERE key = NEW.key;
END;

CREATE TRIGGER accounts_update_answers AFTER UPDATE OF fields, loyalty_options ON accounts
BEGIN
  UPDATE account_answers SET coupons = due.coupons
  FROM account_answers_due AS due
  WHERE due.key = NEW.key AND account_answers.key = NEW.key AND account_answers.coupons IS NOT due.coupons;
END;

-- What a coupon says of itself in every list (2.4, 2.5): `text` wherever it stands, and beside it `record` in the coupon
-- that a customer holds or, for a digital one, in its own object, and `detail` in a coupon's `campaign_coupon`.
CREATE VIEW coupon_answers_due AS
SELECT
  key,
  json_object(
    'account_id', account_id, 'name', name, 'type', type, 'value', value, 'header_lines', json(header_lines),
    'text_lines', json(text_lines), 'can_expire', can_expire, 'expiration_type', expiration_type,
    'expiration', expiration, 'once_per_sale', once_per_sale, 'expiration_date', expiration_date
  ) AS text,
  iif(kind = 'digital', json_object(
    'id', id, 'coupon_barcode', coupon_barcode, 'is_digital', 1, 'is_custom', is_custom,
    'can_combine_with_other', can_combine_with_other, 'created_at', created_at
  ), json_object(
    'campaign_coupon_id', id, 'campaign_id', coalesce(campaign_id, ''),
    'coupon_barcode', CAST(coupon_barcode AS INTEGER), 'campaign_coupon_created', created_at
  )) AS record,
  json_object(
    'id', id, 'campaign_id', coalesce(campaign_id, ''), 'source_campaign_id', source_campaign_id,
    'filter_items', json(filter_items), 'coupon_barcode', CAST(coupon_barcode AS INTEGER)
  ) AS detail
FROM coupons;

CREATE TABLE coupon_answers (
  key INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  record TEXT NOT NULL,
  detail TEXT NOT NULL
);

INSERT INTO coupon_answers SELECT * FROM coupon_answers_due;

CREATE TRIGGER coupons_insert_answers AFTER INSERT ON coupons
BEGIN
  INSERT INTO coupon_answers SELECT * FROM coupon_answers_due WHERE key = NEW.key;
END;

CREATE TRIGGER coupons_update_answers AFTER UPDATE ON coupons
BEGIN
  UPDATE coupon_answers SET text = due.text, record = due.record, detail = due.detail
  FROM coupon_answers_due AS due
  WHERE due.key = NEW.key AND coupon_answers.key = NEW.key
    AND (coupon_answers.text, coupon_answers.record, coupon_answers.detail) IS NOT (due.text, due.record, due.detail);
END;
