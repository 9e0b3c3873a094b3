-- An operator can take credits back, and says why. Neither database changes a CHECK alike, so the table is made anew.
CREATE TABLE ledger (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('grant', 'charge', 'refund', 'debit')),
    amount BIGINT NOT NULL CHECK ((kind IN ('charge', 'debit') AND amount < 0) OR (kind IN ('grant', 'refund') AND amount > 0)),
    operation_id TEXT,
    -- Why an operator took credits; empty for all others.
    reason TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    -- An operation is charged at most once and refunded at most once.
    UNIQUE (operation_id, kind)
);
INSERT INTO ledger (id, account_id, kind, amount, operation_id, created_at)
    SELECT id, account_id, kind, amount, operation_id, created_at FROM ledger_entries;
DROP TABLE ledger_entries;
ALTER TABLE ledger RENAME TO ledger_entries;
CREATE INDEX ledger_entries_by_account ON ledger_entries (account_id, id);
