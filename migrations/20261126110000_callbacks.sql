-- An account's callbacks of single orders: a row of `webhooks` without an address, because each order names its own. It has a
-- secret, a log and pauses like the others, but gets no other events.
ALTER TABLE webhooks ADD COLUMN callbacks_since BIGINT;

CREATE UNIQUE INDEX webhooks_of_callbacks ON webhooks (account_id) WHERE callbacks_since IS NOT NULL;

-- The address of a callback; NULL for the address of the webhook.
ALTER TABLE webhook_deliveries ADD COLUMN url TEXT;

-- The address that gets the event of the operation's end.
ALTER TABLE operations ADD COLUMN callback_url TEXT;
