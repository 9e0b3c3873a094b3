-- The step of the request that ordered the drawing, in the form of the header `traceparent`, so that the trace of the
-- request contains the attempts, whichever node makes them.
ALTER TABLE drawings ADD COLUMN trace_parent TEXT;
