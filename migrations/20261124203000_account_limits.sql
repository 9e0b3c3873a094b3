-- The limits of one account that differ from those of the settings, as a JSON object of numbers by name; null if none do.
ALTER TABLE accounts ADD COLUMN limits TEXT;
