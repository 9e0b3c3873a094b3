-- A cover is free when nothing that its operation draws is paid. That is known when drawings have ended, and not when they
-- are ordered: what is refunded was not bought.

-- The credits of drawings that were drawn.
ALTER TABLE operations ADD COLUMN earned BIGINT NOT NULL DEFAULT 0;
-- When it took one of the account's free covers; the cover is free for as long as nothing is earned.
ALTER TABLE operations ADD COLUMN free_cover_at BIGINT;
UPDATE operations SET
    earned = (SELECT COALESCE(SUM(d.credits), 0) FROM drawings d WHERE d.operation_id = operations.id AND d.status = 'succeeded'),
    free_cover_at = CASE WHEN type = 'book.create' AND charged = refunded THEN created_at ELSE NULL END;

DROP INDEX operations_without_charge;
CREATE INDEX operations_by_free_cover ON operations (account_id, free_cover_at) WHERE free_cover_at IS NOT NULL AND earned = 0;
