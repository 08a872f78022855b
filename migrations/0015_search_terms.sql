-- What the search indexes hold, term by term, so that it can be compared with what they must hold.
CREATE VIRTUAL TABLE store_words_terms USING fts5vocab(store_words, instance);
CREATE VIRTUAL TABLE campaign_words_terms USING fts5vocab(campaign_words, instance);
CREATE VIRTUAL TABLE chain_words_terms USING fts5vocab(chain_words, instance);
CREATE VIRTUAL TABLE customer_words_terms USING fts5vocab(customer_words, instance);
