-- An operator can take credits back, and says why; what is not drawn is refunded when that is known, and not when the whole
-- operation has ended. Neither database changes a CHECK alike, so the table is made anew.
CREATE TABLE ledger (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('grant', 'charge', 'refund', 'debit')),
    amount BIGINT NOT NULL CHECK ((kind IN ('charge', 'debit') AND amount < 0) OR (kind IN ('grant', 'refund') AND amount > 0)),
    operation_id TEXT,
    -- Of a refund; NULL where a whole operation was refunded at once, as it was before.
    drawing_id TEXT,
    -- Why an operator took credits; empty for all others.
    reason TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL
);
INSERT INTO ledger (id, account_id, kind, amount, operation_id, created_at)
    SELECT id, account_id, kind, amount, operation_id, created_at FROM ledger_entries;

-- What failed of operations that are under way was to be refunded at their end.
INSERT INTO ledger (id, account_id, kind, amount, operation_id, drawing_id, created_at)
    SELECT 'entry_' || substr(d.id, 6), d.account_id, 'refund', d.credits, d.operation_id, d.id, COALESCE(d.finished_at, d.created_at)
    FROM drawings d JOIN operations o ON o.id = d.operation_id
    WHERE o.status IN ('queued', 'running') AND d.status = 'failed' AND d.credits > 0;
UPDATE operations SET refunded = (SELECT COALESCE(SUM(d.credits), 0) FROM drawings d WHERE d.operation_id = operations.id AND d.status = 'failed')
    WHERE status IN ('queued', 'running');
UPDATE accounts SET
    credits = (SELECT COALESCE(SUM(l.amount), 0) FROM ledger l WHERE l.account_id = accounts.id),
    refunded = (SELECT COALESCE(SUM(l.amount), 0) FROM ledger l WHERE l.account_id = accounts.id AND l.kind = 'refund');

DROP TABLE ledger_entries;
ALTER TABLE ledger RENAME TO ledger_entries;
CREATE INDEX ledger_entries_by_account ON ledger_entries (account_id, id);
-- An operation is charged at most once, and a drawing is refunded at most once.
CREATE UNIQUE INDEX ledger_charges ON ledger_entries (operation_id) WHERE kind = 'charge';
CREATE UNIQUE INDEX ledger_refunds ON ledger_entries (drawing_id) WHERE drawing_id IS NOT NULL;
