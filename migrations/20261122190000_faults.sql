-- What makes a picture hard to color, by the words of its audience: a JSON array of codes. NULL for pictures that were stored
-- before this was written down.
ALTER TABLE artworks ADD COLUMN faults TEXT;
