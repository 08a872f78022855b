-- The two small sigmas are one letter: what was folded while the final one was another is found by it too. The triggers
-- take the words over into the search indexes. None of these columns says what a record is called.
UPDATE accounts SET words = replace(words, 'ς', 'σ') WHERE instr(words, 'ς') > 0;
UPDATE stores SET words = replace(words, 'ς', 'σ') WHERE instr(words, 'ς') > 0;
UPDATE campaigns SET words = replace(words, 'ς', 'σ') WHERE instr(words, 'ς') > 0;
UPDATE customers SET words = replace(words, 'ς', 'σ') WHERE instr(words, 'ς') > 0;
UPDATE accounts SET folded_names = replace(folded_names, 'ς', 'σ') WHERE instr(folded_names, 'ς') > 0;
UPDATE coupons SET folded_type = replace(folded_type, 'ς', 'σ') WHERE instr(folded_type, 'ς') > 0;
UPDATE coupons SET folded_text = replace(folded_text, 'ς', 'σ') WHERE instr(folded_text, 'ς') > 0;
