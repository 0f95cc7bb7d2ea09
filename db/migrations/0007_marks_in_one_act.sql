-- Marks in one act: events that were made together, such as a tag on a range of items, are undone and redone together.

-- The UUID of the act's first event, on all of its events; NULL = the event is an act of its own.
ALTER TABLE events ADD COLUMN batch TEXT;
CREATE INDEX event_batch ON events (batch) WHERE batch IS NOT NULL;
