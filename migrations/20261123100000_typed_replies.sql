-- A saved reply is read back as its type, and each interface makes the addresses in it.
ALTER TABLE idempotency_keys DROP COLUMN location;
