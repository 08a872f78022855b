import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { toAnswer } from "../../scripts/lib/call.ts";
import worker from "../../src/index.ts";
import type { Answer } from "./api.ts";
import { customerToken } from "./tokens.ts";

/** Sends a request to a Worker with other bindings; what it does in the background goes on by itself. */
export async function sendTo(bindings: object, path: string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(`https://loyalty.example${path}`, init);
  return worker.fetch(request, { ...env, ...bindings } as Env, createExecutionContext());
}

/** The API of such a Worker as one customer sees it. */
export function asAt(bindings: object, customerId: string) {
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${await customerToken(customerId)}` };
    return toAnswer(await sendTo(bindings, path, { ...init, headers }));
  };
  return {
    get: (path: string) => send(path, {}),
    post: (path: string, body: unknown) => send(path, { method: "POST", body: JSON.stringify(body) }),
  };
}

/** What work comes to, and how many milliseconds it takes. */
export async function timed<Value>(work: Promise<Value>): Promise<{ value: Value; milliseconds: number }> {
  const startedAt = performance.now();
  const value = await work;
  return { value, milliseconds: performance.now() - startedAt };
}
