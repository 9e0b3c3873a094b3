-- Plans of books that people edit in the browser before they order them. They cost nothing, and are deleted when they are old.
CREATE TABLE drafts (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    title TEXT NOT NULL,
    page_count BIGINT NOT NULL,
    -- The book as JSON.
    book TEXT NOT NULL,
    -- Which page of a browser saved it last, so that one does not overwrite what another has changed.
    version TEXT NOT NULL,
    -- The idempotency key of its order.
    order_key TEXT NOT NULL,
    -- The book that was ordered. Books can be deleted, so this refers to no row.
    ordered_book_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX drafts_by_account ON drafts (account_id, updated_at);
CREATE INDEX drafts_by_end ON drafts (expires_at);
