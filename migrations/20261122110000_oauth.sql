-- Apps act for people: who they are, what was granted to them, and what they show for it. Nothing here can be used by whoever
-- reads the database: codes, tokens and secrets of clients are SHA-256 hashes, in hexadecimal, of 256 random bits.

CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,
    -- Of a client that publishes a document about itself: its address, by which the client names itself. NULL for one that
    -- registered itself here and is named by `id`.
    document_url TEXT UNIQUE,
    name TEXT NOT NULL,
    -- A JSON array of addresses that a browser may be sent back to.
    redirect_uris TEXT NOT NULL,
    auth_method TEXT NOT NULL CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post')),
    secret_hash TEXT,
    -- Of what shows a registration to the client that made it.
    registration_hash TEXT,
    -- What else the client says of itself, as JSON.
    metadata TEXT NOT NULL,
    -- Until when a document need not be fetched again.
    fresh_until BIGINT,
    created_at BIGINT NOT NULL,
    -- Moves on while the client is used.
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    CHECK ((auth_method = 'none') = (secret_hash IS NULL)),
    CHECK ((document_url IS NULL) = (registration_hash IS NOT NULL)),
    CHECK ((document_url IS NULL) = (fresh_until IS NULL))
);
CREATE INDEX oauth_clients_by_end ON oauth_clients (expires_at);

-- What a person let an app do. All that is issued under a grant ends with it.
CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL REFERENCES oauth_clients (id),
    -- Separated by spaces.
    scopes TEXT NOT NULL,
    -- The address that tokens of this grant open, and no other.
    resource TEXT NOT NULL,
    -- The most that the app may spend; NULL for all that the account has.
    credit_cap BIGINT CHECK (credit_cap >= 0),
    -- Without what was refunded.
    credits_spent BIGINT NOT NULL DEFAULT 0 CHECK (credits_spent >= 0),
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    -- When the last of what was issued under it expires.
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX grants_by_account ON grants (account_id, id);
CREATE INDEX grants_by_client ON grants (client_id);
CREATE INDEX grants_by_end ON grants (expires_at);

-- An authorization that waits for its person to decide: what was asked, so that what the browser sends back need not be trusted.
CREATE TABLE consent_requests (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- As JSON.
    request TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX consent_requests_by_account ON consent_requests (account_id);
CREATE INDEX consent_requests_by_end ON consent_requests (expires_at);

CREATE TABLE authorization_codes (
    code_hash TEXT PRIMARY KEY,
    grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    -- SHA-256 of the verifier that only the client knows, in base64url.
    code_challenge TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX authorization_codes_by_grant ON authorization_codes (grant_id);
CREATE INDEX authorization_codes_by_end ON authorization_codes (expires_at);

CREATE TABLE access_tokens (
    token_hash TEXT PRIMARY KEY,
    grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    -- Those of the grant, or fewer.
    scopes TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX access_tokens_by_grant ON access_tokens (grant_id);
CREATE INDEX access_tokens_by_end ON access_tokens (expires_at);

CREATE TABLE refresh_tokens (
    token_hash TEXT PRIMARY KEY,
    grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL,
    -- When it was first used, and how often.
    used_at BIGINT,
    uses BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX refresh_tokens_by_grant ON refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_by_end ON refresh_tokens (expires_at);

-- The grant under which an app asked for it: what is refunded may be spent again.
ALTER TABLE operations ADD COLUMN grant_id TEXT REFERENCES grants (id) ON DELETE SET NULL;
CREATE INDEX operations_by_grant ON operations (grant_id) WHERE grant_id IS NOT NULL;
