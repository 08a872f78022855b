import { env } from "cloudflare:workers";
import { type Answer, feed, send } from "./api.ts";
import { nextPage } from "./exporting.ts";
import * as seed from "./seed.ts";
import { customerToken, signToken } from "./tokens.ts";

// What a customer writes: docs/contract/interface.md, 4.10 and 4.11.

const CUSTOMER = "/api/v1/customer";

/** The calls of a customer's device. */
export function deviceOf(customerId: string, sendRequest = send) {
  const ask = async (method: string, path: string, body?: unknown) =>
    sendRequest(`${CUSTOMER}${path}`, {
      method,
      headers: { Authorization: `Bearer ${await customerToken(customerId)}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    mark: (groupId: string, body: unknown) => ask("PUT", `/messages/${encodeURIComponent(groupId)}/state`, body),
    block: (otherId: string) => ask("PUT", `/blocks/${encodeURIComponent(otherId)}`),
    unblock: (otherId: string) => ask("DELETE", `/blocks/${encodeURIComponent(otherId)}`),
    askOperator: (type: unknown) => ask("POST", "/me/requests", { type }),
    group: async (groupId: string) => {
      const { body } = await ask("GET", "/messages");
      return (body.items ?? []).find(({ group_id }: { group_id: string }) => group_id === groupId);
    },
  };
}

export interface ChangeLine {
  version: number;
  at: string;
  source: string;
  subject: string;
  line?: Record<string, unknown>;
  request?: string;
}

/** What a follower reads: all changes after the cursor in this path, and the path that goes on. */
export async function readChanges(path = "/api/v1/feed/changes?after=first") {
  const token = await signToken({ scope: "export", sub: "follower", accounts: "*" });
  const changes: ChangeLine[] = [];
  for (let from = path; ; ) {
    const page = await send(from, { headers: { Authorization: `Bearer ${token}` } });
    changes.push(...page.body);
    const next = nextPage(page) ?? "";
    if (next === from) return { changes, next };
    from = next;
  }
}

/** The version that the database is at, and how many rows its journal and its outbox have. */
export async function footprint() {
  const counts = "SELECT version, (SELECT count(*) FROM requests) AS rows FROM program_state";
  const [row] = (await env.DB.prepare(counts).all()).results;
  return row;
}

export const SENT_AT = ["2026-05-01 09:00:00", "2026-05-01 09:10:00", "2026-05-01 09:20:00"] as const;

/** A group whose three messages are history, and its reader, its writer, and a stranger. */
export async function seedReaders() {
  const [reader, writer, stranger] = [seed.customer(), seed.customer(), seed.customer()];
  const group = seed.group([writer.id, reader.id]);
  const messages = SENT_AT.map((sent_at) => seed.message(group.id, writer.id, { sent_at }));
  const answers: Answer[] = [await feed([reader, writer, stranger, group, ...messages])];
  if (answers[0]?.status !== 200) throw new Error(JSON.stringify(answers[0]?.body));
  return { reader: reader.id, writer: writer.id, stranger: stranger.id, group: group.id };
}
