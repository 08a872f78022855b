import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { refusal } from "./cloudflare/reply.ts";
import {
  BUCKET,
  clone,
  cloudflare,
  database,
  ENTRIES,
  ENTRY,
  fileOf,
  gzipped,
  insert,
  insertSegment,
  keyOf,
  linesIn,
  MESSAGES,
  nameOf,
  rowOf,
  run,
  sha256Of,
} from "./sealed-deployment.ts";

// The commands of history against the imitation of Cloudflare's API. The drill runs them on this machine.

const history = (...args: string[]) => run("history", ...args, "--remote");

describe("npm run history -- copy, and restore", () => {
  it("copies and restores missing objects, asks again if Cloudflare refuses, and overwrites none", async ({
    expect,
  }) => {
    const otherObject = Buffer.from("another");
    // A 401 says that the credentials have expired.
    const refusals = [429, 401, 503].map((status) => refusal(status, 10000, "refused", { "Retry-After": "1" }));
    cloudflare.intercept = ({ route, answer }) => (route.includes("/objects/") && refusals.shift()) || answer();

    const copies = [await history("copy", "copy"), await history("copy", "copy")];
    cloudflare.objects.delete(keyOf("balance_entry"));
    cloudflare.objects.set(keyOf("message"), otherObject);
    const restored = await history("restore", "copy");

    expect(copies.map(({ output }) => /\d objects copied, \d were there\./.exec(output)?.[0])).toEqual([
      "2 objects copied, 0 were there.",
      "0 objects copied, 2 were there.",
    ]);
    expect(refusals).toEqual([]);
    expect(linesIn(readFileSync(fileOf("message")))).toEqual(MESSAGES);
    expect(restored).toMatchObject({ status: 1 });
    expect(restored.output).toContain(`  ${nameOf("message")} is in the bucket, as another object`);
    expect(cloudflare.objects.get(keyOf("message"))).toEqual(otherObject);
    expect(linesIn(cloudflare.objects.get(keyOf("balance_entry")))).toEqual(ENTRIES);
  });

  it("names missing and damaged objects, and copies none of them", async ({ expect }) => {
    await history("copy", "copy");
    cloudflare.objects.set(keyOf("message"), Buffer.from("damaged"));
    cloudflare.objects.delete(keyOf("balance_entry"));
    rmSync(path.join(clone, "copy"), { recursive: true });
    const copied = await history("copy", "copy");
    mkdirSync(path.dirname(fileOf("message")), { recursive: true });
    writeFileSync(fileOf("message"), "damaged");
    cloudflare.objects.clear();
    const restored = await history("restore", "copy");

    expect([copied.status, restored.status]).toEqual([1, 1]);
    expect(copied.output).toContain(`  ${nameOf("balance_entry")} is not in the bucket
  ${nameOf("message")} has another SHA-256 than the database says`);
    expect(restored.output).toContain(`  ${nameOf("balance_entry")} is not in the folder
  ${nameOf("message")} has another SHA-256 than the database says`);
    expect([...cloudflare.objects.keys()]).toEqual([`${BUCKET}/owner`]);
  });

  it("marks an empty bucket as its deployment's, and changes no other deployment's bucket", async ({ expect }) => {
    await history("copy", "copy");
    cloudflare.objects.clear();

    const restored = await history("restore", "copy");
    const owner = cloudflare.objects.get(`${BUCKET}/owner`)?.toString();
    cloudflare.objects.set(`${BUCKET}/owner`, Buffer.from("somebody-elses"));
    cloudflare.objects.delete(keyOf("message"));
    const refused = [await history("restore", "copy"), await history("drop-bodies", "c1")];

    expect(restored, restored.output).toMatchObject({ status: 0 });
    expect(owner).toBe("loyalty-edge");
    for (const { status, output } of refused) {
      expect(status).toBe(1);
      expect(output).toContain(`The bucket ${BUCKET} belongs to somebody-elses. Nothing was changed.`);
    }
    expect(cloudflare.objects.has(keyOf("message"))).toBe(false);
  });
});

describe("npm run history -- drop-bodies", () => {
  const withoutBodies = MESSAGES.map((line) => (line.id === "m1" ? { ...line, body: "" } : line));

  it("rewrites messages without the customer's bodies, and continues after it was cut off", async ({ expect }) => {
    cloudflare.intercept = ({ route, answer }) => (route.startsWith("PUT") ? refusal(400, 1, "cut off") : answer());
    const rowBefore = rowOf("balance_entry");

    const cutOff = await history("drop-bodies", "c1");
    cloudflare.intercept = ({ answer }) => answer();
    const row = rowOf("message");
    const laterRuns = [await history("drop-bodies", "c1"), await history("drop-bodies", "c1")];

    const object = cloudflare.objects.get(keyOf("message")) ?? Buffer.of();
    expect(linesIn(object)).toEqual(withoutBodies);
    expect(cutOff.status).toBe(1);
    expect(row).toEqual({ lines: 2, bytes: object.length, sha256: sha256Of(object) });
    expect([rowOf("message"), rowOf("balance_entry")]).toEqual([row, rowBefore]);
    expect(laterRuns[0]?.output).toContain("1 body dropped: 1 object written anew, 1 left as they are.");
    expect(laterRuns[1]?.output).toContain("0 bodies dropped: 0 objects written anew, 2 left as they are.");
  });

  it("empties bodies in the database too, page after page, and notifies members", async ({ expect }) => {
    database.exec("BEGIN");
    // These ids sort before the ids of the customer's messages.
    for (let number = 1; number <= 5_000; number += 1)
      insert("messages", { id: `a${number}`, customer_key: 2, body: "kept" });
    for (const id of ["b  '1'", "b2"]) insert("messages", { id, customer_key: 1, group_key: 7, body: "secret" });
    database.exec("COMMIT");
    insert("message_group_members", { group_key: 7, customer_key: 1 });
    insert("listeners", { customer_id: "c1", until: "2999-01-01 00:00:00" });
    database.exec("DELETE FROM outbox");

    const { output } = await history("drop-bodies", "c1");

    expect(output).toContain("2 messages in the database have no body now.");
    const bodies = database.prepare("SELECT DISTINCT body, customer_key FROM messages ORDER BY body").all();
    expect(bodies).toMatchObject([
      { body: "", customer_key: 1 },
      { body: "kept", customer_key: 2 },
    ]);
    expect(database.prepare("SELECT customers FROM outbox").all()).toMatchObject([{ customers: '["c1"]' }]);
  });

  it.for(["m1", "b  '1'"])("empties one message, in a segment or in the database: %s", async (id, { expect }) => {
    for (const messageId of ["b  '1'", "b2"]) insert("messages", { id: messageId, customer_key: 1, body: "secret" });

    await history("drop-bodies", "--message", id);

    const emptied = database.prepare("SELECT id FROM messages WHERE body = ''").all();
    expect(emptied.map((row) => row.id)).toEqual(id === "m1" ? [] : [id]);
    expect(linesIn(cloudflare.objects.get(keyOf("message")))).toEqual(id === "m1" ? withoutBodies : MESSAGES);
  });

  it("empties bodies in objects of earlier months that no segment names, and names damaged objects", async ({
    expect,
  }) => {
    const nameAt = (month: string, number: number) => `message/${month}/${number}.ndjson.gz`;
    const [damaged, earlier, current] = [nameAt("2026-03", 8), nameAt("2026-03", 9), nameAt("2026-04", 1)];
    for (const name of [earlier, current]) cloudflare.objects.set(`${BUCKET}/${name}`, gzipped(MESSAGES));
    cloudflare.objects.set(`${BUCKET}/${damaged}`, gzipped(MESSAGES).subarray(0, 60));
    cloudflare.objects.delete(keyOf("message"));
    insert("history_scans", { kind: "message", month: "2026-04" });

    const { status, output } = await history("drop-bodies", "c1");

    expect(status).toBe(1);
    expect(output).toContain(`2 objects are not as they should be:
  ${nameOf("message")} is not in the bucket
  ${damaged} is damaged`);
    expect(linesIn(cloudflare.objects.get(`${BUCKET}/${earlier}`))).toEqual(withoutBodies);
    expect(linesIn(cloudflare.objects.get(`${BUCKET}/${current}`))).toEqual(MESSAGES);
  });

  const forged = { ...MESSAGES[1], body: "forged" };
  it.for<[what: string, object: Buffer, customer?: string]>([
    ["is forged", gzipped([MESSAGES[0] ?? {}, forged])],
    ["is forged, and has no body of the customer", gzipped([withoutBodies[0] ?? {}, forged]), "nobody"],
    ["lacks a line", gzipped(withoutBodies.slice(1))],
    ["is damaged", gzipped(withoutBodies).subarray(0, 60)],
  ])("does not change an object that %s", async ([, object, customer = "c1"], { expect }) => {
    const rowBefore = rowOf("message");
    cloudflare.objects.set(keyOf("message"), object);

    const { status, output } = await history("drop-bodies", customer);

    expect(status).toBe(1);
    expect(output).toContain(`  ${nameOf("message")} has another SHA-256 than the database says`);
    expect(cloudflare.objects.get(keyOf("message"))).toEqual(object);
    expect(rowOf("message")).toEqual(rowBefore);
  });

  it("does not change an object whose row another run has changed meanwhile", async ({ expect }) => {
    cloudflare.intercept = ({ route, answer }) => {
      if (route.includes("/objects/message")) database.exec("UPDATE history_segments SET sha256 = 'another'");
      return answer();
    };

    const { output } = await history("drop-bodies", "c1");

    expect(output).toContain(`  ${nameOf("message")} was written anew meanwhile: run this again`);
    expect(linesIn(cloudflare.objects.get(keyOf("message")))).toEqual(MESSAGES);
    expect(rowOf("message")).toMatchObject({ sha256: "another" });
  });
});

describe("npm run history -- status", () => {
  it("counts the events that have left, and names the kinds that still have to leave", async ({ expect }) => {
    const month = new Date();
    month.setUTCDate(1);
    month.setUTCMonth(month.getUTCMonth() - 1);
    const scan = { month: month.toISOString().slice(0, 7), is_over: 1 };
    for (const kind of ["message", "play"]) insert("history_scans", { kind, ...scan });
    insert("history_scans", { kind: "token_earning", month: "2026-01", is_over: 1 });

    const { output } = await history("status");

    expect(output).toMatch(/^\| balance_entry \| +1 \| +2 \| +\d+ \| 2026-01-02 03:04:05 \| 2026-02-01 00:00:00 \|$/m);
    expect(output).toContain("Not all of them have left yet: balance_entry, token_earning.");
  });
});

describe("npm run verify-totals -- --history", () => {
  const verify = () => run("verify-totals", "--history", "--remote");

  it("names each fault of segments and summaries", async ({ expect }) => {
    const withoutFaults = await verify();
    // The ids have spaces, because customer "a b" at store "c" must not be taken for "a" at "b c".
    database.exec(`
      UPDATE customers SET id = 'a b'; UPDATE stores SET id = 'c';
      UPDATE balance_entries SET amount = 149 WHERE campaign_key = 1; UPDATE campaign_stores SET earned = 149`);
    const entries = ENTRIES.map((entry) => ({ ...entry, customer_id: "a", store_id: "b c" }));
    database.exec("DELETE FROM history_segments WHERE kind = 'balance_entry'");
    insertSegment("balance_entry", entries, { newest: "2026-02-01 00:00:01", sums: '{"balance":125,"earned":150}' });
    cloudflare.objects.delete(keyOf("message"));
    const earned_at = ENTRY.created_at;
    const earning = { record: "token_earning", store_id: "s1", customer_id: "c1", level_no: 2, tokens: "0.50" };
    insertSegment("token_earning", [{ ...earning, earned_at }], { newest: earned_at, sums: '{"tokens":49}' });

    const withFaults = await verify();

    expect(withoutFaults.output).toContain("history: 2 segments with 4 lines, as expected");
    expect(withFaults.status).toBe(1);
    expect(withFaults.output).toContain(`history: 3 segments with 5 lines, 8 faults
  ${nameOf("balance_entry")} has events of another time than the database says
  ${nameOf("message")} is not in the bucket
  ${nameOf("token_earning")} adds up to {"tokens":50}, and the database says {"tokens":49}
  balance_entry ["a b","c",null] balance: stored 125, segments add up to 0
  balance_entry ["a","b c",null] balance: stored 0, segments add up to 125
  balance_entry [null,"b c","k1"] earned: stored 0, segments add up to 150
  balance_entry [null,"c","k1"] earned: stored 149, segments add up to 0
  token_earning ["c1","s1",2] tokens: stored 0, segments add up to 50`);
  });

  it("names no fault if events leave meanwhile, and says so", async ({ expect }) => {
    cloudflare.intercept = ({ route, answer }) => {
      if (!route.includes("/objects/message")) return answer();
      cloudflare.intercept = (later) => later.answer();
      insert("history_segments", { kind: "balance_entry", month: "2026-03", number: 2, sums: '{"balance":200}' });
      return answer();
    };

    const { status, output } = await verify();

    expect(status).toBe(1);
    expect(output).toContain("Events left for history meanwhile: verify again once no more leave.");
    expect(output).not.toContain("faults");
  });
});

describe("npm run feed -- FILE --check", () => {
  it("names events that are too old for the database, which only a restore accepts", async ({ expect }) => {
    writeFileSync(path.join(clone, "old.ndjson"), JSON.stringify(ENTRIES[0]));
    const check = (...args: string[]) => run("feed", "old.ndjson", "--check", ...args);

    expect((await check()).output).toContain("line 1.created_at: is older than the history that is kept");
    expect(await check("--restore")).toMatchObject({ status: 0 });
  });
});
