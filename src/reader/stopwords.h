const char *tokenizer_stopwords(const char *language);
