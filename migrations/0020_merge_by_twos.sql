-- A step of the weekly merge goes on with what is under way, unless another level of the index has as many segments. It
-- then merges those first, if there are enough: two, so that two or three small ones fed meanwhile do not hold it up.
INSERT INTO store_words (store_words, rank) VALUES ('usermerge', 2);
INSERT INTO campaign_words (campaign_words, rank) VALUES ('usermerge', 2);
INSERT INTO chain_words (chain_words, rank) VALUES ('usermerge', 2);
INSERT INTO customer_words (customer_words, rank) VALUES ('usermerge', 2);
