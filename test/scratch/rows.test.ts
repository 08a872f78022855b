import { env } from "cloudflare:workers";
import { it } from "vitest";

it("counts", async () => {
  const db = env.DB;
  await db.batch([
    db.prepare("CREATE TABLE t (k INTEGER PRIMARY KEY, b TEXT)"),
    db.prepare(
      "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<100) SELECT i, 'x' FROM n",
    ),
  ]);
  const Q: Record<string, string> = {
    plain: "SELECT k FROM t",
    sub: "SELECT k FROM (SELECT k FROM t LIMIT 0+1000)",
    sorted: "SELECT k FROM t ORDER BY b",
    sortedLimited: "SELECT k FROM t ORDER BY b LIMIT 50",
    cte: "WITH p AS MATERIALIZED (SELECT k FROM t) SELECT k FROM p",
    cteTwice: "WITH p AS MATERIALIZED (SELECT k FROM t) SELECT k FROM p UNION ALL SELECT sum(k) FROM p",
    win2: "SELECT k, sum(k) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) FROM t",
    win1: "SELECT k, sum(k) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) FROM t",
    win0: "SELECT k, sum(k) OVER (ROWS UNBOUNDED PRECEDING) FROM t",
    win0o: "SELECT k, sum(k) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING) FROM t",
    winR: "SELECT k, sum(k) OVER (ORDER BY k) FROM t",
    rownum: "SELECT k, row_number() OVER () FROM t",
    rownumP: "SELECT k, row_number() OVER (PARTITION BY b ORDER BY k DESC) FROM t",
    lag: "SELECT k, lag(k) OVER () FROM t",
    winLimit: "SELECT * FROM (SELECT k, sum(k) OVER (ROWS UNBOUNDED PRECEDING) AS s FROM t) WHERE s < 100",
    join: "SELECT * FROM t AS a CROSS JOIN t AS b2 ON b2.k = a.k",
    group: "SELECT json_group_array(k) FROM t",
    each: "SELECT value FROM json_each((SELECT json_group_array(k) FROM t))",
    rec: "WITH RECURSIVE l(e) AS MATERIALIZED (SELECT json_group_array(k) FROM t), s(n, v) AS (SELECT -1, 0 UNION ALL SELECT n+1, (SELECT e FROM l) ->> (n+1) FROM s WHERE n < 99) SELECT v FROM s",
    recT: "WITH RECURSIVE l AS MATERIALIZED (SELECT row_number() OVER () AS n, k FROM t), s(n, v) AS (SELECT 0, 0 UNION ALL SELECT l.n, l.k FROM s CROSS JOIN l ON l.n = s.n + 1) SELECT v FROM s",
    recT2:
      "WITH RECURSIVE l AS MATERIALIZED (SELECT k FROM t), s(n, v) AS (SELECT 0, 0 UNION ALL SELECT l.rowid, l.k FROM s CROSS JOIN l ON l.rowid = s.n + 1) SELECT v FROM s",
    inlist: "SELECT k FROM t WHERE k IN (SELECT k FROM t)",
    inlistJson: "SELECT k FROM t WHERE k IN (SELECT value FROM json_each((SELECT json_group_array(k) FROM t)))",
    recRaw: "WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM s WHERE n < 99) SELECT n FROM s",
  };
  const out: string[] = [];
  for (const [n, q] of Object.entries(Q)) {
    try {
      const r = await db.prepare(q).all();
      out.push(`${n} ${r.meta.rows_read} -> ${r.results.length}`);
    } catch (e) {
      out.push(`${n} ${e}`);
    }
  }
  throw new Error(out.join("\n"));
});
