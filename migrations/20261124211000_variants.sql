-- The operation that drew an attempt; NULL for imported pictures and for those that were drawn before. An operation may draw
-- several pictures of one page: the first is chosen, the others are attempts that can be chosen afterwards.
ALTER TABLE attempts ADD COLUMN operation_id TEXT;
