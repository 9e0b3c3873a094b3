-- A book's cover can be drawn again. The column is made anew, because neither database changes a CHECK alike.
DROP INDEX operations_without_charge;
ALTER TABLE operations ADD COLUMN kind TEXT NOT NULL DEFAULT 'book.create' CHECK (kind IN
    ('character.create', 'character.regenerate', 'page.create', 'page.regenerate', 'book.create', 'book.add_page', 'book.regenerate_cover'));
UPDATE operations SET kind = type;
ALTER TABLE operations DROP COLUMN type;
ALTER TABLE operations RENAME COLUMN kind TO type;
CREATE INDEX operations_without_charge ON operations (account_id, id) WHERE type = 'book.create' AND charged = 0;
