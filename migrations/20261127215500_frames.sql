-- The frame around pages: of the pages that a book gets, and of a page's next drawing. 'usual' is the provider's own.
ALTER TABLE books ADD COLUMN frame TEXT NOT NULL DEFAULT 'usual' CHECK (frame IN
    ('usual', 'none', 'plain', 'rounded', 'doubled', 'notched', 'scooped', 'scalloped', 'beaded', 'stitched'));
ALTER TABLE pages ADD COLUMN frame TEXT NOT NULL DEFAULT 'usual' CHECK (frame IN
    ('usual', 'none', 'plain', 'rounded', 'doubled', 'notched', 'scooped', 'scalloped', 'beaded', 'stitched'));
ALTER TABLE bin_books ADD COLUMN frame TEXT NOT NULL DEFAULT 'usual';
ALTER TABLE bin_pages ADD COLUMN frame TEXT NOT NULL DEFAULT 'usual';
