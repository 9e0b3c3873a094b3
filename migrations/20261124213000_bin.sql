-- The bin: deleted books and pages, until they are restored or deleted for good. Their rows are in tables with the same columns as
-- `pages` and `books`, so that no statement about those finds them. Their attempts and artwork remain where they are.
CREATE TABLE bin (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('book', 'page')),
    -- The book or page.
    item_id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    deleted_at BIGINT NOT NULL
);
CREATE INDEX bin_by_account ON bin (account_id, id);
CREATE INDEX bin_by_age ON bin (deleted_at);
-- A deleted page, or a page that was deleted with its book.
CREATE TABLE bin_pages (
    id TEXT PRIMARY KEY,
    bin_id TEXT NOT NULL REFERENCES bin (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    title TEXT NOT NULL,
    prompt TEXT NOT NULL,
    caption TEXT NOT NULL,
    aspect TEXT NOT NULL,
    origin TEXT NOT NULL,
    audience TEXT NOT NULL,
    status TEXT NOT NULL,
    error_code TEXT,
    artwork_id TEXT REFERENCES artworks (id),
    revision BIGINT NOT NULL,
    active_operation_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    line_weight TEXT NOT NULL,
    detail TEXT NOT NULL,
    style TEXT NOT NULL
);
CREATE INDEX bin_pages_by_bin ON bin_pages (bin_id);
CREATE INDEX bin_pages_by_artwork ON bin_pages (artwork_id) WHERE artwork_id IS NOT NULL;
CREATE TABLE bin_books (
    id TEXT PRIMARY KEY,
    bin_id TEXT NOT NULL REFERENCES bin (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    title TEXT NOT NULL,
    subtitle TEXT NOT NULL,
    author TEXT NOT NULL,
    description TEXT NOT NULL,
    audience TEXT NOT NULL,
    aspect TEXT NOT NULL,
    language TEXT NOT NULL,
    cover_prompt TEXT NOT NULL,
    cover_style TEXT NOT NULL,
    cover_status TEXT NOT NULL,
    cover_artwork_id TEXT REFERENCES artworks (id),
    cover_revision BIGINT NOT NULL,
    active_operation_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    line_weight TEXT NOT NULL,
    detail TEXT NOT NULL,
    style TEXT NOT NULL
);
CREATE INDEX bin_books_by_bin ON bin_books (bin_id);
CREATE INDEX bin_books_by_cover ON bin_books (cover_artwork_id) WHERE cover_artwork_id IS NOT NULL;
-- The characters of the pages and books.
CREATE TABLE bin_characters (
    owner_id TEXT NOT NULL,
    character_id TEXT NOT NULL REFERENCES characters (id),
    bin_id TEXT NOT NULL REFERENCES bin (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (owner_id, character_id)
);
CREATE INDEX bin_characters_by_bin ON bin_characters (bin_id);
-- Places of pages in books, of which the page, the book or both are in the bin. A place is taken again when both exist.
CREATE TABLE bin_places (
    book_id TEXT NOT NULL,
    page_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (book_id, page_id)
);
CREATE INDEX bin_places_by_page ON bin_places (page_id);
