-- The hint with which a picture is drawn once more because the reviewer asked for it. A drawing has at most one.
ALTER TABLE drawings ADD COLUMN review_hint TEXT;
