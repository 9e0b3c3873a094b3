-- The webhook of callbacks that the account had when the order was accepted. If it is deleted, the order has no callback, even if
-- the account has another such webhook by then.
ALTER TABLE operations ADD COLUMN callback_webhook_id TEXT;

UPDATE operations SET callback_webhook_id =
    (SELECT w.id FROM webhooks w WHERE w.account_id = operations.account_id AND w.callbacks_since <= operations.created_at)
WHERE callback_url IS NOT NULL AND finished_at IS NULL;
