-- People sign in: with a password, with a single-use link that an operator or the first start makes, or with a provider.
-- Nothing here can be used to sign in by whoever reads the database: passwords are argon2id hashes, and tokens are SHA-256
-- hashes of 256 random bits.

-- When the account was closed; nobody signs in to it until its operator opens it again.
ALTER TABLE accounts ADD COLUMN closed_at BIGINT;
-- When its owner made the account with an address that nobody verified; NULL when an operator made it, or a provider verified
-- the address.
ALTER TABLE accounts ADD COLUMN unverified_since BIGINT;

CREATE TABLE passwords (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    hash TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    -- Moves on while the session is used, but not beyond `ends_at`.
    expires_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    CHECK (expires_at <= ends_at)
);
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Links that work once. The one that makes the first account belongs to no account.
CREATE TABLE single_use_links (
    token_hash TEXT PRIMARY KEY,
    purpose TEXT NOT NULL CHECK (purpose IN ('first_account', 'password_reset')),
    account_id TEXT REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    CHECK ((purpose = 'first_account') = (account_id IS NULL))
);
CREATE INDEX single_use_links_by_purpose ON single_use_links (purpose, account_id);
CREATE INDEX single_use_links_by_end ON single_use_links (expires_at);

-- Who an account is to an OpenID Connect provider.
CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_by_account ON identities (account_id);

-- Sign-ins that are under way at a provider. What the provider is to return is derived from a secret that the browser alone has.
CREATE TABLE provider_sign_ins (
    state_hash TEXT PRIMARY KEY,
    browser_hash TEXT NOT NULL,
    return_to TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX provider_sign_ins_by_end ON provider_sign_ins (expires_at);

-- How often somebody who is not signed in may try something.
CREATE TABLE throttles (
    name TEXT NOT NULL,
    subject_hash TEXT NOT NULL,
    busy_until BIGINT NOT NULL,
    PRIMARY KEY (name, subject_hash)
);
CREATE INDEX throttles_by_end ON throttles (busy_until);
