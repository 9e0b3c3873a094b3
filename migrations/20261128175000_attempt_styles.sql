-- The style that a cover had when it got the picture, or when the picture was replaced: choosing the picture again restores it. NULL for
-- pages and characters, and for pictures that are older than this column.
ALTER TABLE attempts ADD COLUMN style TEXT CHECK (style IN ('line_art', 'color'));
