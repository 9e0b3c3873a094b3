-- When an operator switched the provider off, and why; NULL while it may be called.
ALTER TABLE provider_pauses ADD COLUMN off_since BIGINT;
ALTER TABLE provider_pauses ADD COLUMN off_reason TEXT;
