"""The model table: limits, tokenizer and provider rules of each model, dated and sourced."""
