-- A reviewer has rows of its own, in which the attempts are its calls. The calls that returned a verdict; 0 for image providers.
ALTER TABLE provider_days ADD COLUMN reviews BIGINT NOT NULL DEFAULT 0;
