-- What to change in a page's picture, as the customer asked for it, with each drawing that refines one.
ALTER TABLE drawings ADD COLUMN instruction TEXT;

-- A page's picture can be refined. The column is made anew, because neither database changes a CHECK alike.
ALTER TABLE operations ADD COLUMN kind TEXT NOT NULL DEFAULT 'book.create' CHECK (kind IN
    ('character.create', 'character.regenerate', 'page.create', 'page.regenerate', 'page.refine', 'book.create', 'book.add_page',
     'book.regenerate_cover'));
UPDATE operations SET kind = type;
ALTER TABLE operations DROP COLUMN type;
ALTER TABLE operations RENAME COLUMN kind TO type;
