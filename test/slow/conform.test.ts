import { beforeAll, describe, it } from "vitest";
import { type Answer, call, linkOf } from "../../scripts/lib/call.ts";
import { devToken } from "../../scripts/lib/tokens.ts";
import { temporaryFolder } from "./clone.ts";
import { pressCtrlC, startCommand } from "./command.ts";
import { startService } from "./service.ts";

let url = "";
let token = "";

beforeAll(async () => {
  ({ url } = await startService(["--persist-to", temporaryFolder(), "--no-demo"]));
  token = await devToken({ scope: "export", accounts: "*" });
});

async function conform(...args: string[]) {
  const run = startCommand("conform", args);
  return { status: await run.ended, output: run.output() };
}

/** The service's feed version, and the records that are not deleted, of those kinds that can be deleted. */
async function readStored() {
  const lines: { id: string; deleted?: true }[] = [];
  let version: string | null = null;
  let address: string | undefined = `${url}/api/v1/feed?record=account,store,customer,campaign,coupon`;
  while (address !== undefined) {
    const answer: Answer = await call(address, { token });
    lines.push(...answer.body);
    version = answer.headers.get("X-Feed-Version");
    address = linkOf(answer);
  }
  const deletedIds = new Set(lines.filter((line) => line.deleted).map(({ id }) => id));
  return { version, records: lines.filter(({ id }) => !deletedIds.has(id)) };
}

describe("npm run conform", () => {
  it("finds no broken rule, and deletes what it wrote", async ({ expect }) => {
    const { status, output } = await conform("--url", url);

    expect(output).not.toContain("BROKEN");
    expect(status, output).toBe(0);
    expect(output).toMatch(/^(\d{3}) rules checked: \1 hold, 0 are broken\.$/m);
    expect((await readStored()).records).toEqual([]);
  });

  it("writes nothing with --read-only, and refuses an unknown section", async ({ expect }) => {
    const storedBefore = await readStored();

    const { status, output } = await conform("--url", url, "--read-only", "--only", "interface");
    const unknownSection = await conform("--url", url, "--read-only", "--only", "nothing");

    expect(status, output).toBe(0);
    expect(output).toContain("because --read-only writes nothing");
    expect(unknownSection).toMatchObject({
      status: 1,
      output: expect.stringContaining("There is no section nothing."),
    });
    expect(await readStored()).toEqual(storedBefore);
  });

  it("deletes what it wrote when it is stopped", async ({ expect }) => {
    const run = startCommand("conform", ["--url", url, "--only", "live, 3"]);
    await expect.poll(async () => (await readStored()).records).not.toEqual([]);

    pressCtrlC(run);

    expect(await run.ended, run.output()).toBe(130);
    expect(run.output()).toContain("Stopped.");
    expect((await readStored()).records).toEqual([]);
  });

  it("names a broken rule, and what the service answered", async ({ expect }) => {
    const env = { NEARBY_RADIUS_MILES: "30" };

    const run = startCommand("conform", ["--url", url, "--only", "interface, 4.1"], { env });

    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(
      /^ {2}BROKEN interface, 4\.1: .+\n {4}POST .+: expected .+, came .+\(sections\/nearby\.ts:\d+\)$/m,
    );
    expect((await readStored()).records).toEqual([]);
  });
});
