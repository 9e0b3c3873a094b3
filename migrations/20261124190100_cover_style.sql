-- The style of a book's cover: line art, or in color like that of a book in a shop.
ALTER TABLE books ADD COLUMN cover_style TEXT NOT NULL DEFAULT 'line_art' CHECK (cover_style IN ('line_art', 'color'));
