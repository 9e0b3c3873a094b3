-- What grows with accounts and time is no longer counted or searched: counters, a queue by account, and an index for each
-- way a row is looked for.

-- What the account has, and what its ledger adds up to; kept in the transactions that change it. `linepress doctor`
-- compares them with the rows.
ALTER TABLE accounts ADD COLUMN characters BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN books BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN generations BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN spent BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN refunded BIGINT NOT NULL DEFAULT 0;

-- Picture and print master together. Of what was stored before only the picture's size is known.
ALTER TABLE artworks ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE artworks SET stored_bytes = byte_size;

UPDATE accounts SET
    characters = (SELECT COUNT(*) FROM characters c WHERE c.account_id = accounts.id AND c.archived_at IS NULL),
    pages = (SELECT COUNT(*) FROM pages p WHERE p.account_id = accounts.id),
    books = (SELECT COUNT(*) FROM books b WHERE b.account_id = accounts.id),
    generations = (SELECT COUNT(*) FROM operations o WHERE o.account_id = accounts.id AND o.status IN ('queued', 'running')),
    stored_bytes = (SELECT COALESCE(SUM(w.stored_bytes), 0) FROM artworks w WHERE w.account_id = accounts.id)
        + (SELECT COALESCE(SUM(u.byte_size), 0) FROM uploads u WHERE u.account_id = accounts.id),
    spent = (SELECT COALESCE(-SUM(l.amount), 0) FROM ledger_entries l WHERE l.account_id = accounts.id AND l.kind = 'charge'),
    refunded = (SELECT COALESCE(SUM(l.amount), 0) FROM ledger_entries l WHERE l.account_id = accounts.id AND l.kind = 'refund');

-- When a worker first took the drawing: how long it may be put off counts from here.
ALTER TABLE drawings ADD COLUMN first_claimed_at BIGINT;

-- Whose turn it is: one row for each account that ever queued a drawing.
CREATE TABLE queue_accounts (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    -- Its drawings that workers hold.
    running BIGINT NOT NULL DEFAULT 0,
    -- When the first of its queued drawings is due; NULL when none is queued.
    next_due_at BIGINT,
    -- When a worker last took one of its drawings.
    last_served_at BIGINT NOT NULL DEFAULT 0
);
INSERT INTO queue_accounts (account_id, running, next_due_at, last_served_at)
    SELECT a.id,
        (SELECT COUNT(*) FROM drawings d WHERE d.account_id = a.id AND d.status = 'running'),
        (SELECT MIN(d.due_at) FROM drawings d WHERE d.account_id = a.id AND d.status = 'queued'),
        a.last_served_at
    FROM accounts a WHERE EXISTS (SELECT 1 FROM drawings d WHERE d.account_id = a.id AND d.status IN ('queued', 'running'));
CREATE INDEX queue_accounts_by_turn ON queue_accounts (running, last_served_at) WHERE next_due_at IS NOT NULL;
CREATE INDEX queue_accounts_by_due ON queue_accounts (next_due_at) WHERE next_due_at IS NOT NULL;
ALTER TABLE accounts DROP COLUMN last_served_at;

DROP INDEX drawings_due;
DROP INDEX drawings_by_account;
-- The oldest that an account waits for.
CREATE INDEX drawings_waiting ON drawings (account_id, due_at, operation_id, position) WHERE status = 'queued';
-- Leases that have run out, and how many an account has.
CREATE INDEX drawings_leased ON drawings (due_at) WHERE status = 'running';
CREATE INDEX drawings_running ON drawings (account_id) WHERE status = 'running';

-- Image providers that limit their rate or are down: no node asks them before this moment.
CREATE TABLE provider_pauses (
    provider TEXT PRIMARY KEY,
    until BIGINT NOT NULL,
    -- Pauses since it last drew something.
    failures BIGINT NOT NULL
);

DROP INDEX operations_by_status;
CREATE INDEX operations_by_status ON operations (account_id, status, id);
CREATE INDEX operations_without_charge ON operations (account_id, id) WHERE type = 'book.create' AND charged = 0;

-- Whoever deletes an artwork asks who refers to it.
CREATE INDEX characters_by_artwork ON characters (artwork_id) WHERE artwork_id IS NOT NULL;
CREATE INDEX pages_by_artwork ON pages (artwork_id) WHERE artwork_id IS NOT NULL;
CREATE INDEX books_by_cover ON books (cover_artwork_id) WHERE cover_artwork_id IS NOT NULL;

-- PDFs that were made: the last one of each book and print format.
CREATE TABLE editions (
    book_id TEXT NOT NULL REFERENCES books (id) ON DELETE CASCADE,
    format TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    object_key TEXT NOT NULL,
    byte_size BIGINT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (book_id, format)
);
CREATE INDEX editions_by_account ON editions (account_id, made_at);
