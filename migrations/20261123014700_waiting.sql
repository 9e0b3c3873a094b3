-- The bytes of the customer's picture that a drawing is made from: a part of what the account stores while it is open. In
-- the request they stand last; whoever wrote the texts before them could not write their quotation marks.
ALTER TABLE drawings ADD COLUMN source_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE drawings SET source_bytes = CAST(
        substr(rtrim(request, '}'), length(rtrim(rtrim(request, '}'), '0123456789')) + 1) AS BIGINT)
    WHERE status IN ('queued', 'running') AND request LIKE '%"source":{"key":"%","byte_size":%}}';

-- The provider whose places were all taken when the drawing was last claimed: until it has one, others go first.
ALTER TABLE drawings ADD COLUMN waits_for TEXT;
-- The oldest that an account waits for, whenever it was put back.
CREATE INDEX drawings_in_order ON drawings (account_id, operation_id, position) WHERE status = 'queued';
-- Those that wait for the longest time.
CREATE INDEX drawings_by_age ON drawings (created_at) WHERE status = 'queued';
-- Those that ended, until it is forgotten what was asked for.
CREATE INDEX drawings_ended ON drawings (finished_at) WHERE finished_at IS NOT NULL AND request <> '';
