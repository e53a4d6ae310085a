-- What is held is kept with its exact cost, from which the average entry price is computed: averages of rounded averages
-- drift. Rows of an earlier version have none until they change.
ALTER TABLE positions ADD COLUMN cost TEXT;
ALTER TABLE paper_positions ADD COLUMN cost TEXT;
