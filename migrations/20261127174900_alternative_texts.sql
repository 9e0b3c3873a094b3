-- The reviewer's description of a picture for readers who cannot see it; empty without one.
ALTER TABLE artworks ADD COLUMN alternative_text TEXT NOT NULL DEFAULT '';
