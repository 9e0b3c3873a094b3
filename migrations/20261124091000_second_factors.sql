-- The second factor of an account: a secret that its owner's authenticator app shares with the server.
CREATE TABLE second_factors (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    -- Encrypted with a key from the table `secrets`, for this account only.
    encrypted_secret TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The SHA-256 of the token of the session that made the secret, and that alone can confirm it; NULL afterwards.
    session_hash TEXT,
    -- When a code showed that the app has the secret; NULL until then, and no sign-in needs a code.
    confirmed_at BIGINT,
    -- The time step of the last accepted code. A code of this step or an earlier one is refused.
    last_time_step BIGINT,
    CHECK (confirmed_at IS NULL OR last_time_step IS NOT NULL)
);
CREATE INDEX second_factors_unconfirmed ON second_factors (created_at) WHERE confirmed_at IS NULL;

-- The codes that replace the app once each: SHA-256 hashes of the account's id and 80 random bits.
CREATE TABLE recovery_codes (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    code_hash TEXT NOT NULL,
    PRIMARY KEY (account_id, code_hash)
);

-- Sign-ins whose password was right and whose code is awaited. Only the browser has the token.
CREATE TABLE pending_sign_ins (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ins_by_account ON pending_sign_ins (account_id);
CREATE INDEX pending_sign_ins_by_end ON pending_sign_ins (expires_at);
