-- The outbox: mails that wait to be sent. A row is written in the transaction of the change that causes the mail, and deleted when
-- the mail was sent, is no longer wanted, or is given up. No row contains the secret of a link: the link is made when the mail is sent.
CREATE TABLE mails (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    -- The account to whose address the mail goes; NULL if only an address was named, which may be that of no account.
    account_id TEXT REFERENCES accounts (id),
    address TEXT,
    -- The operation that the mail is about, if it is about one.
    operation_id TEXT,
    attempts BIGINT NOT NULL DEFAULT 0,
    -- When the next attempt is due. An attempt moves it to the end of its lease.
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK ((account_id IS NULL) <> (address IS NULL))
);
CREATE INDEX mails_by_due_at ON mails (due_at, id);
CREATE INDEX mails_by_age ON mails (created_at);

-- Links with which a person who is signed in shows that the mails to the account's address reach them.
CREATE TABLE address_verifications (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX address_verifications_by_account ON address_verifications (account_id);
CREATE INDEX address_verifications_by_end ON address_verifications (expires_at);

-- Since when the account waits for the plan and the credits of a new account, which it gets when its address is verified; NULL if it
-- waits for nothing.
ALTER TABLE accounts ADD COLUMN awaits_start_since BIGINT;
-- When the balance fell below the setting and a notice was queued; NULL after credits were added, or if the notice was not sent.
ALTER TABLE accounts ADD COLUMN low_credits_since BIGINT;
-- When the owner last switched these notices off; NULL while they are sent.
ALTER TABLE accounts ADD COLUMN book_notices_off_since BIGINT;
ALTER TABLE accounts ADD COLUMN credit_notices_off_since BIGINT;
