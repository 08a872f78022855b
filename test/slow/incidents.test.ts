import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cloneCheckout } from "./clone.ts";
import { startProgram } from "./command.ts";
import { blocksIn, sectionOf } from "./docs.ts";
import { startService } from "./service.ts";

// Runs the commands of each section of docs/incidents.md on the demo program.

/** A pattern that matches every day, because the demo program has few events of each kind on one day. */
const ANY_DAY = "20..-..-..";

const clone = cloneCheckout();
const state = path.join(clone, "state");
let url = "";

beforeAll(async () => {
  ({ url } = await startService(["--persist-to", state], { cwd: clone }));
});

/** The commands of a section, on this machine instead of Cloudflare. */
function commandsOf(section: string): string {
  const commands = blocksIn(sectionOf("incidents.md", `## ${section}\n`), "sh").join("");
  return commands.replaceAll("--remote", `--persist-to ${state}`).replace("2026-11-23", ANY_DAY);
}

async function run(section: string): Promise<string> {
  const tokens = `URL=${url}; READ=$(npm run --silent token -- export); WRITE=$(npm run --silent token -- feed '*')`;
  const commands = startProgram("sh", ["-ec", `${tokens}\n${commandsOf(section)}`], { cwd: clone });
  expect(await commands.ended, commands.output()).toBe(0);
  return commands.output();
}

describe("docs/incidents.md", { timeout: 300_000 }, () => {
  it("deletes the coupons that are used up", async () => {
    expect(await run("The database is full")).toMatch(/^([1-9][\d,]*) lines committed \(\1 accepted, 0 ignored\)/m);
  });

  it("undoes events, once", async () => {
    const output = await run("A day's feed was wrong");

    for (const kind of ["balance_entry", "token_earning", "play", "message"])
      expect(output).toMatch(new RegExp(`^ *[1-9]\\d* ${kind}$`, "m"));
    expect(output).toMatch(/^([1-9][\d,]*) lines committed \(\1 accepted, 0 ignored\)/m);
    expect(output).toMatch(/^([1-9][\d,]*) lines committed \(0 accepted, \1 ignored\)/m);
    expect(output).toContain("All derived data agrees with the records.");
  });

  it("erases a customer, and again after a restore", async () => {
    const output = await run("A customer must be erased");

    expect(output.match(/^\{"customer":"c1","erased_at":"2.*\}$/gm)).toHaveLength(2);
    expect(output).toContain('{"record":"customer","id":"c1","first_name":"","last_name":""');
  });
});
