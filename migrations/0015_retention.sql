-- How far the events of each kind have been gone through for old events. Steps have the order of the ids, because
-- an index by time would be one more row to write for each event. A step is one transaction that looks at the next
-- events, adds the old ones up, and deletes them (docs/contract/retention.md).
CREATE TABLE retention_progress (
  kind TEXT PRIMARY KEY, -- balance_entry, token_earning, play or message
  horizon TEXT NOT NULL, -- events from before this time are old
  after_id TEXT NOT NULL, -- the last step looked at the events after this one
  last_id TEXT NOT NULL, -- and up to this one; empty: there was no step
  deleted INTEGER NOT NULL -- how many events it deleted
) WITHOUT ROWID;
