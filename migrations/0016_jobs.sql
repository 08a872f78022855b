-- When each job of src/service/jobs.ts runs next. All are due at first, so /health notices a schedule that never runs.
CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  due_at TEXT NOT NULL,
  lease_until TEXT NOT NULL -- no other run takes the job before this time; empty: no run has it
) WITHOUT ROWID;

INSERT INTO jobs (name, due_at, lease_until)
SELECT value, now, ''
FROM clock, json_each('[
  "check in", "remove former listeners", "remove ended holds", "remove words from the search", "merge the search indexes", "add up old events"
]')
WHERE true ON CONFLICT DO NOTHING;
