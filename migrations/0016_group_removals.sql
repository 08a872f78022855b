-- Messages outlive their group, and a group may be written again under the id of one that was removed: how often that
-- happened before a message was stored tells whose it is, so that a recount does not bring back what is no longer shown.
CREATE TABLE message_group_removals (
  group_id TEXT PRIMARY KEY,
  times INTEGER NOT NULL
) WITHOUT ROWID;

ALTER TABLE messages ADD COLUMN group_removals INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER message_groups_count_removals AFTER DELETE ON message_groups
BEGIN
  INSERT INTO message_group_removals (group_id, times) VALUES (OLD.id, 1)
  ON CONFLICT (group_id) DO UPDATE SET times = times + 1;
END;
