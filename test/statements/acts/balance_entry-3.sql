WITH balance_entry AS (
  SELECT *
  FROM balance_entries
  WHERE balance_entries.id = ?1
    AND balance_entries.request = (
      SELECT program_state.version
      FROM program_state
      WHERE program_state.act = ?2
    )
)
INSERT INTO campaign_earnings (store_key, campaign_key, earned)
SELECT balance_entries.store_key AS store_key,
  balance_entries.campaign_key AS campaign_key,
  sum(balance_entries.amount) AS earned
FROM balance_entry AS balance_entries
WHERE (balance_entries.campaign_key IS NOT NULL AND balance_entries.amount > 0)
GROUP BY balance_entries.store_key, balance_entries.campaign_key
ON CONFLICT (store_key, campaign_key) DO UPDATE
SET earned = campaign_earnings.earned + excluded.earned
WHERE (excluded.earned) IS NOT (0)

--  SEARCH balance_entries USING PRIMARY KEY (id=?)
--  SCALAR SUBQUERY
--    SCAN program_state
