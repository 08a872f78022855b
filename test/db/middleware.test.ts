import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { app } from "../../src/app.ts";
import { customerToken } from "../support/tokens.ts";

const BOOKMARK = `00000001-0000000a-00000000-${"0f".repeat(16)}`;

/** Where the sessions begin that a request opens; the last of them is the one that it reads in. */
async function sessionOf(path: string, bookmark: string) {
  const sessions: (string | undefined)[] = [];
  const DB = {
    withSession: (start?: string) => {
      sessions.push(start);
      return env.DB.withSession(start);
    },
  };
  const headers = { Authorization: `Bearer ${await customerToken("c")}`, "X-D1-Bookmark": bookmark };
  await app.request(`/api/v1/customer${path}`, { headers }, { ...env, DB });
  return sessions.at(-1);
}

describe("where a request reads", () => {
  it("begins at the nearest replica, or where the client's bookmark says", async ({ expect }) => {
    expect(await sessionOf("/stores/s/team-with-level", "")).toBe("first-unconstrained");
    expect(await sessionOf("/stores/s/team-with-level", "no bookmark")).toBe("first-unconstrained");
    expect(await sessionOf("/stores/s/team-with-level", BOOKMARK)).toBe(BOOKMARK);
  });

  it("begins at the primary for messages, whatever the client's bookmark says", async ({ expect }) => {
    expect(await sessionOf("/messages", "")).toBe("first-primary");
    expect(await sessionOf("/messages", BOOKMARK)).toBe("first-primary");
  });
});
