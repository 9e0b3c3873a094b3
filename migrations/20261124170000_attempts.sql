-- Attempts: the pictures that a page, a cover or a character shows or has shown. The one that it shows is its chosen attempt.
CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- The page, the character or, for a cover, the book.
    target_id TEXT NOT NULL,
    artwork_id TEXT NOT NULL UNIQUE REFERENCES artworks (id),
    origin TEXT NOT NULL CHECK (origin IN ('generated', 'imported')),
    -- The prompt of the page or cover, or the description of the character, that belongs to the picture.
    prompt TEXT NOT NULL,
    -- The seed of a character's look; NULL for pages and covers.
    seed BIGINT,
    -- What the image provider said about the drawing.
    note TEXT,
    created_at BIGINT NOT NULL,
    -- When another attempt was chosen instead; NULL for the chosen one.
    replaced_at BIGINT
);
CREATE INDEX attempts_by_target ON attempts (target_id, id);
CREATE UNIQUE INDEX attempts_chosen ON attempts (target_id) WHERE replaced_at IS NULL;
CREATE INDEX attempts_replaced ON attempts (replaced_at) WHERE replaced_at IS NOT NULL;
CREATE INDEX attempts_replaced_by_account ON attempts (account_id, replaced_at, id) WHERE replaced_at IS NOT NULL;

-- Every picture that is shown today is a chosen attempt. Its object's key contains the drawing that it came from.
INSERT INTO attempts (id, account_id, target_id, artwork_id, origin, prompt, note, created_at)
    SELECT 'att_' || substr(a.id, 5), p.account_id, p.id, a.id, p.origin, p.prompt,
        (SELECT MAX(d.note) FROM drawings d WHERE d.target_id = p.id AND a.image_key LIKE 'drawings/' || d.id || '/%'), a.created_at
    FROM pages p JOIN artworks a ON a.id = p.artwork_id;
INSERT INTO attempts (id, account_id, target_id, artwork_id, origin, prompt, note, created_at)
    SELECT 'att_' || substr(a.id, 5), b.account_id, b.id, a.id,
        CASE WHEN a.image_key LIKE 'imports/%' THEN 'imported' ELSE 'generated' END, b.cover_prompt,
        (SELECT MAX(d.note) FROM drawings d WHERE d.target_id = b.id AND a.image_key LIKE 'drawings/' || d.id || '/%'), a.created_at
    FROM books b JOIN artworks a ON a.id = b.cover_artwork_id;
INSERT INTO attempts (id, account_id, target_id, artwork_id, origin, prompt, seed, note, created_at)
    SELECT 'att_' || substr(a.id, 5), c.account_id, c.id, a.id, 'generated', c.description, c.seed,
        (SELECT MAX(d.note) FROM drawings d WHERE d.target_id = c.id AND a.image_key LIKE 'drawings/' || d.id || '/%'), a.created_at
    FROM characters c JOIN artworks a ON a.id = c.artwork_id;
