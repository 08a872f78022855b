-- No total goes beyond ±70,000,000,000,000: up to there every hundredth is a JSON number of its own, and no sum of a
-- request's amounts comes near what an integer can hold, beyond which SQLite would go on in floats. What adds to a total
-- that would go further undoes the request; the report says by which fields to find its lines, and how large the total
-- would be.
CREATE TRIGGER customers_limit_balance AFTER UPDATE OF balance ON customers
WHEN NEW.balance NOT BETWEEN -7000000000000000 AND 7000000000000000
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'balance_entry', 'field', 'amount', 'total', NEW.balance, 'of', json_object('customer_id', NEW.id)
  ))));
END;

-- AFTER INSERT, because a row that is there already is updated, and BEFORE would look at what is added alone.
CREATE TRIGGER store_balances_limit_insert AFTER INSERT ON store_balances
WHEN NEW.balance NOT BETWEEN -7000000000000000 AND 7000000000000000
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'balance_entry', 'field', 'amount', 'total', NEW.balance,
    'of', json_object('store_id', NEW.store_id, 'customer_id', NEW.customer_id)
  ))));
END;

CREATE TRIGGER store_balances_limit_update AFTER UPDATE OF balance ON store_balances
WHEN NEW.balance NOT BETWEEN -7000000000000000 AND 7000000000000000
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'balance_entry', 'field', 'amount', 'total', NEW.balance,
    'of', json_object('store_id', NEW.store_id, 'customer_id', NEW.customer_id)
  ))));
END;

CREATE TRIGGER campaign_stores_limit_insert AFTER INSERT ON campaign_stores
WHEN NEW.earned NOT BETWEEN -7000000000000000 AND 7000000000000000
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'balance_entry', 'field', 'amount', 'total', NEW.earned,
    'of', json_object('campaign_id', NEW.campaign_id, 'store_id', NEW.store_id)
  ))));
END;

CREATE TRIGGER campaign_stores_limit_update AFTER UPDATE OF earned ON campaign_stores
WHEN NEW.earned NOT BETWEEN -7000000000000000 AND 7000000000000000
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'balance_entry', 'field', 'amount', 'total', NEW.earned,
    'of', json_object('campaign_id', NEW.campaign_id, 'store_id', NEW.store_id)
  ))));
END;

CREATE TRIGGER memberships_limit_tokens
AFTER UPDATE OF tokens_1, tokens_2, tokens_3, tokens_4, tokens_5 ON memberships
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'token_earning', 'field', 'tokens', 'total', tokens,
    'of', json_object('store_id', NEW.store_id, 'customer_id', NEW.customer_id, 'level_no', level_no)
  ))))
  FROM (
    SELECT 1 AS level_no, NEW.tokens_1 AS tokens UNION ALL SELECT 2, NEW.tokens_2 UNION ALL SELECT 3, NEW.tokens_3
    UNION ALL SELECT 4, NEW.tokens_4 UNION ALL SELECT 5, NEW.tokens_5
  )
  WHERE tokens NOT BETWEEN -7000000000000000 AND 7000000000000000;
END;

CREATE TRIGGER play_totals_limit_insert AFTER INSERT ON play_totals
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'play', 'field', measure, 'total', total, 'of', json_object(
      'location_id', NEW.location_id, 'eip_campaign_id', NEW.eip_campaign_id, 'employee_id', NEW.employee_id
    )
  ))))
  FROM (
    SELECT 'runs' AS measure, NEW.runs AS total, 7000000000000000 AS most
    UNION ALL SELECT 'hits', NEW.hits, 70000000000000
    UNION ALL SELECT 'doubles', NEW.doubles, 70000000000000
    UNION ALL SELECT 'triples', NEW.triples, 70000000000000
  )
  WHERE total NOT BETWEEN -most AND most;
END;

CREATE TRIGGER play_totals_limit_update AFTER UPDATE OF runs, hits, doubles, triples ON play_totals
BEGIN
  SELECT RAISE(ABORT, json_object('beyond', json_array(json_object(
    'record', 'play', 'field', measure, 'total', total, 'of', json_object(
      'location_id', NEW.location_id, 'eip_campaign_id', NEW.eip_campaign_id, 'employee_id', NEW.employee_id
    )
  ))))
  FROM (
    SELECT 'runs' AS measure, NEW.runs AS total, 7000000000000000 AS most
    UNION ALL SELECT 'hits', NEW.hits, 70000000000000
    UNION ALL SELECT 'doubles', NEW.doubles, 70000000000000
    UNION ALL SELECT 'triples', NEW.triples, 70000000000000
  )
  WHERE total NOT BETWEEN -most AND most;
END;
