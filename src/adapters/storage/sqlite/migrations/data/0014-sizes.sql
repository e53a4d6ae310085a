-- What the quantity of a signal counts; NULL is base currency.
ALTER TABLE trades ADD COLUMN quantity_type TEXT;
