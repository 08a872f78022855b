import { createHash } from "node:crypto";
import { describe, it } from "vitest";
import { Random } from "../../../scripts/program/random.ts";
import { during } from "./during.ts";
import { SimulatedR2 } from "./r2.ts";
import { Time } from "./time.ts";
import { Weather } from "./weather.ts";

const ONCE = { onlyIf: { etagDoesNotMatch: "*" } };
const one = new TextEncoder().encode("one");
const other = new TextEncoder().encode("other");
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function simulatedR2() {
  const time = new Time();
  const random = new Random("R2");
  const r2 = new SimulatedR2({ time, random, weather: new Weather(time, random, new Set()) });
  const bucket = r2.binding();
  const put = (bytes: Uint8Array, options: object = ONCE) =>
    during(time, bucket.put("name", bytes, { sha256: sha256(bytes), ...options }));
  return {
    r2,
    bucket,
    time,
    put,
    get: async () => (await during(time, bucket.get("name")))?.text(),
    head: () => during(time, bucket.head("name")),
    pass: () => during(time, time.wait(1_000)),
  };
}

describe("the simulated R2", () => {
  it("says of an object what it was given", async ({ expect }) => {
    const { r2, put, get, head } = simulatedR2();
    expect(await head()).toBeNull();

    expect(await put(one)).not.toBeNull();

    expect((await head())?.checksums.toJSON().sha256).toBe(sha256(one));
    expect(r2.read("name")).toEqual(Buffer.from(one));
    expect(await get()).toBe("one");
  });

  it("writes on a condition only where nothing is, and else overwrites", async ({ expect }) => {
    const { r2, put, pass } = simulatedR2();
    await put(one);
    await pass();

    expect(await put(other)).toBeNull();
    expect(r2.read("name")).toEqual(Buffer.from(one));
    expect(await put(other, {})).not.toBeNull();
    expect(r2.read("name")).toEqual(Buffer.from(other));
  });

  it("lists the names that begin as asked, a thousand a call", async ({ expect }) => {
    const { bucket, time } = simulatedR2();
    const names = Array.from({ length: 1_001 }, (_, index) => `a/${1_000 + index}`);
    for (const name of [...names, "b/1"]) await during(time, bucket.put(name, one, { sha256: sha256(one) }));
    const list = async (cursor?: string) => {
      const listed = await during(time, bucket.list({ prefix: "a/", ...(cursor !== undefined && { cursor }) }));
      return { names: listed.objects.map(({ key }) => key), cursor: listed.truncated ? listed.cursor : null };
    };

    const first = await list();
    const second = await list(first.cursor ?? "");

    expect([...first.names, ...second.names]).toEqual(names);
    expect([first.names.length, second.cursor]).toEqual([1_000, null]);
  });

  it("takes one write a second and name, and no bytes of another SHA-256", async ({ expect }) => {
    const { r2, put } = simulatedR2();
    await expect(put(one, { ...ONCE, sha256: sha256(other) })).rejects.toThrow("checksum");
    await put(one);

    await expect(put(other)).rejects.toThrow("rate");
    expect(r2.read("name")).toEqual(Buffer.from(one));
  });
});
