-- Review links: addresses at which people without an account see a book and comment on it. There is no reference to `books`, because a
-- deleted book moves to the bin. Links are deleted with their book when it is deleted for good, and when their account is closed.
CREATE TABLE review_links (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    book_id TEXT NOT NULL,
    -- The SHA-256 of the secret in the address.
    token_hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- When the owner withdrew it.
    withdrawn_at BIGINT,
    -- When its page was last opened, recorded at most once an hour.
    last_opened_at BIGINT
);
CREATE INDEX review_links_by_book ON review_links (book_id, id);
CREATE INDEX review_links_by_account ON review_links (account_id);
CREATE INDEX review_links_by_expiry ON review_links (expires_at);
-- A comment of a person with a review link. The page is no reference either: comments remain when it leaves the book or is deleted.
CREATE TABLE review_comments (
    id TEXT PRIMARY KEY,
    link_id TEXT NOT NULL REFERENCES review_links (id) ON DELETE CASCADE,
    -- The book of the link, by which comments are listed.
    book_id TEXT NOT NULL,
    -- NULL for the book as a whole.
    page_id TEXT,
    -- The title that the page had; empty for the book as a whole.
    page_title TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- When the owner marked it as done.
    resolved_at BIGINT
);
CREATE INDEX review_comments_by_link ON review_comments (link_id, id);
CREATE INDEX review_comments_by_book ON review_comments (book_id, id);
