import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import recording from "virtual:recording";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import worker from "../../../src/index.ts";
import { signToken } from "../../support/tokens.ts";

// The same requests, at the same times, once in the simulation and once in workerd.

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await env.DB.batch([
    env.DB.prepare("CREATE TABLE simulated_time (now TEXT, millisecond INTEGER)"),
    env.DB.prepare("INSERT INTO simulated_time VALUES ('', 0)"),
    env.DB.prepare("DROP VIEW clock"),
    env.DB.prepare("CREATE VIEW clock AS SELECT now, date(now) AS today, millisecond FROM simulated_time"),
  ]);
});
afterEach(() => {
  vi.useRealTimers();
});

async function setTime(at: number): Promise<void> {
  vi.setSystemTime(at);
  const now = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  await env.DB.prepare("UPDATE simulated_time SET now = ?, millisecond = ?")
    .bind(now, at % 1_000)
    .run();
}

describe("the simulation and workerd", () => {
  it("answer the same, to the byte", async ({ expect }) => {
    for (const [step, { at, claims, method, path, body, answer }] of recording.entries()) {
      await setTime(at);
      const headers = { Authorization: `Bearer ${await signToken(claims)}` };
      const context = createExecutionContext();
      const request = new Request(`https://loyalty.example${path}`, { method, headers, body });
      const response = await worker.fetch(request, env, context);
      const names = Object.keys(answer.headers);
      const answered = {
        status: response.status,
        headers: Object.fromEntries(names.map((name) => [name, response.headers.get(name)])),
        // Whatever its type is: an export is lines.
        body: await new Response(response.body).text(),
      };
      // In the background messages are shown, once their second is over.
      await setTime(at - (at % 1_000) + 1_000);
      await waitOnExecutionContext(context);

      expect(answered, `step ${step}: ${method} ${path} ${body}`).toEqual(answer);
    }

    expect(recording.length).toBe(500);
  });
});
