-- Several image providers: who of them may be asked now, what each drew, and what that took and cost.

-- The next call may begin at this moment, where the number of calls in a minute is limited.
ALTER TABLE provider_pauses ADD COLUMN next_call_at BIGINT NOT NULL DEFAULT 0;
-- After many failures one call tries whether the provider works again; until this moment no other is made.
ALTER TABLE provider_pauses ADD COLUMN probing_until BIGINT NOT NULL DEFAULT 0;

-- Who drew it, or tried last; NULL while nobody was asked.
ALTER TABLE drawings ADD COLUMN provider TEXT;
ALTER TABLE drawings ADD COLUMN provider_version TEXT;
-- What drew it, where the provider says so.
ALTER TABLE drawings ADD COLUMN model TEXT;
-- How long providers were at it, and what that cost in millionths of a US dollar, all attempts together.
ALTER TABLE drawings ADD COLUMN draw_microseconds BIGINT NOT NULL DEFAULT 0;
ALTER TABLE drawings ADD COLUMN cost_microdollars BIGINT NOT NULL DEFAULT 0;
-- How far a provider is that draws it now, where it says so.
ALTER TABLE drawings ADD COLUMN progress_done BIGINT;
ALTER TABLE drawings ADD COLUMN progress_total BIGINT;

-- The same by day, for operators.
CREATE TABLE provider_days (
    -- Days since 1970 in UTC.
    day BIGINT NOT NULL,
    provider TEXT NOT NULL,
    -- Empty where the provider does not say.
    model TEXT NOT NULL,
    -- Pictures that were kept, and what customers were charged for them.
    drawings BIGINT NOT NULL,
    credits BIGINT NOT NULL,
    -- Drawings that failed for good, and were refunded.
    failures BIGINT NOT NULL,
    -- How often the provider was asked.
    attempts BIGINT NOT NULL,
    draw_microseconds BIGINT NOT NULL,
    cost_microdollars BIGINT NOT NULL,
    PRIMARY KEY (day, provider, model)
);
