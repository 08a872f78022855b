SELECT 'stores' AS list, '[]' AS pages, EXISTS (SELECT 1 FROM removed_accounts) AS hides_more

--  SCAN CONSTANT ROW
--  SCALAR SUBQUERY
--    SCAN removed_accounts
