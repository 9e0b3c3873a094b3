-- One schema for SQLite and PostgreSQL. Ids are text, times are BIGINT microseconds since 1970 in UTC, JSON is text.
-- A flag is a nullable time: when it became true.

CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL CHECK (plan IN ('free', 'business')),
    -- The sum of the ledger, kept in the same transaction as each entry.
    credits BIGINT NOT NULL DEFAULT 0 CHECK (credits >= 0),
    -- When a worker last took one of its drawings: the queue serves the account that has waited longest.
    last_served_at BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    -- SHA-256 of the key, in hexadecimal. The key itself is shown once and never stored.
    hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX api_keys_by_account ON api_keys (account_id, id);

-- Append-only. A charge is negative, a grant or a refund positive.
CREATE TABLE ledger_entries (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('grant', 'charge', 'refund')),
    amount BIGINT NOT NULL CHECK ((kind = 'charge' AND amount < 0) OR (kind <> 'charge' AND amount > 0)),
    operation_id TEXT,
    created_at BIGINT NOT NULL,
    -- An operation is charged at most once and refunded at most once.
    UNIQUE (operation_id, kind)
);
CREATE INDEX ledger_entries_by_account ON ledger_entries (account_id, id);

CREATE TABLE idempotency_keys (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    key TEXT NOT NULL,
    -- SHA-256 of method, path and body.
    request_hash TEXT NOT NULL,
    -- Written in the same transaction as the claim: a committed row always has its reply.
    location TEXT,
    body TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- An image in object storage. Never changed: another picture is another row.
CREATE TABLE artworks (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- Object keys of the picture that is handed out and of the print master.
    image_key TEXT NOT NULL,
    master_key TEXT NOT NULL,
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    media_type TEXT NOT NULL,
    byte_size BIGINT NOT NULL,
    -- What was measured on it, as JSON.
    measures TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE characters (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    style TEXT NOT NULL,
    seed BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('generating', 'ready', 'failed')),
    -- The unguessable part of the public preview's address while the preview is on.
    preview_token TEXT UNIQUE,
    artwork_id TEXT REFERENCES artworks (id),
    revision BIGINT NOT NULL DEFAULT 0,
    active_operation_id TEXT,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX characters_by_account ON characters (account_id, id);

CREATE TABLE pages (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    title TEXT NOT NULL,
    prompt TEXT NOT NULL,
    caption TEXT NOT NULL,
    aspect TEXT NOT NULL CHECK (aspect IN ('square', 'portrait', 'landscape')),
    origin TEXT NOT NULL CHECK (origin IN ('generated', 'imported')),
    audience TEXT NOT NULL CHECK (audience IN ('toddler', 'child', 'teen', 'adult')),
    status TEXT NOT NULL CHECK (status IN ('generating', 'ready', 'failed')),
    -- The safe error of the generation that failed.
    error_code TEXT,
    artwork_id TEXT REFERENCES artworks (id),
    revision BIGINT NOT NULL DEFAULT 0,
    active_operation_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX pages_by_account ON pages (account_id, id);

CREATE TABLE page_characters (
    page_id TEXT NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    character_id TEXT NOT NULL REFERENCES characters (id),
    position BIGINT NOT NULL,
    PRIMARY KEY (page_id, character_id)
);

CREATE TABLE books (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    title TEXT NOT NULL,
    subtitle TEXT NOT NULL,
    author TEXT NOT NULL,
    description TEXT NOT NULL,
    audience TEXT NOT NULL CHECK (audience IN ('toddler', 'child', 'teen', 'adult')),
    aspect TEXT NOT NULL CHECK (aspect IN ('square', 'portrait', 'landscape')),
    cover_prompt TEXT NOT NULL,
    cover_status TEXT NOT NULL CHECK (cover_status IN ('generating', 'ready', 'failed')),
    cover_artwork_id TEXT REFERENCES artworks (id),
    cover_revision BIGINT NOT NULL DEFAULT 0,
    active_operation_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX books_by_account ON books (account_id, id);
CREATE INDEX books_by_operation ON books (active_operation_id);

CREATE TABLE book_characters (
    book_id TEXT NOT NULL REFERENCES books (id) ON DELETE CASCADE,
    character_id TEXT NOT NULL REFERENCES characters (id),
    position BIGINT NOT NULL,
    PRIMARY KEY (book_id, character_id)
);

CREATE TABLE book_pages (
    book_id TEXT NOT NULL REFERENCES books (id) ON DELETE CASCADE,
    page_id TEXT NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (book_id, page_id)
);
CREATE INDEX book_pages_by_page ON book_pages (page_id, book_id);

CREATE TABLE operations (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    type TEXT NOT NULL CHECK (type IN ('character.create', 'character.regenerate', 'page.create', 'page.regenerate', 'book.create', 'book.add_page')),
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'partially_succeeded', 'failed')),
    resource_type TEXT NOT NULL CHECK (resource_type IN ('character', 'page', 'book')),
    resource_id TEXT NOT NULL,
    completed BIGINT NOT NULL DEFAULT 0,
    failed BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    refunded BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    CHECK (completed + failed <= total),
    CHECK (refunded <= charged)
);
CREATE INDEX operations_by_account ON operations (account_id, id);

-- The queue, and the items of an operation.
CREATE TABLE drawings (
    id TEXT PRIMARY KEY,
    operation_id TEXT NOT NULL REFERENCES operations (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    position BIGINT NOT NULL,
    target_type TEXT NOT NULL CHECK (target_type IN ('character', 'page', 'cover')),
    target_id TEXT NOT NULL,
    title TEXT NOT NULL,
    -- What it costs, and what comes back when it fails.
    credits BIGINT NOT NULL CHECK (credits >= 0),
    -- Everything a provider is asked, as JSON, fixed when the request was accepted.
    request TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
    -- Claims so far; a claim that ended with its machine counts.
    attempts BIGINT NOT NULL DEFAULT 0,
    -- When it may be claimed next; while it runs, when its lease ends.
    due_at BIGINT NOT NULL,
    lease TEXT,
    error_code TEXT,
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    UNIQUE (operation_id, position)
);
CREATE INDEX drawings_due ON drawings (status, due_at);
CREATE INDEX drawings_by_account ON drawings (account_id, status);
