-- The account that the test keys of another account use: its data is apart, and its credits are not sold. A customer's
-- account has none here; each has at most one sandbox.
ALTER TABLE accounts ADD COLUMN sandbox_of TEXT;

CREATE UNIQUE INDEX accounts_by_owner ON accounts (sandbox_of) WHERE sandbox_of IS NOT NULL;
