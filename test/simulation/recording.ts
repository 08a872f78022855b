import { Composer } from "./actors/feeder.ts";
import { READINGS } from "./actors/reader.ts";
import { CUSTOMERS, FIRST_LINES } from "./lines.ts";
import type { Bundle } from "./platform/code.ts";
import type { Recorded } from "./recorded.ts";
import { signToken } from "./tokens.ts";
import { World } from "./world.ts";

type Request = Omit<Recorded, "at" | "answer">;

/** The headers that say the same wherever the service runs. */
const COMPARED_HEADERS = ["Content-Type", "Link", "X-Feed-Version", "ETag", "Cache-Control"];

const SYSTEM = { scope: "feed", sub: "system", accounts: "*" };
const TOKEN_SECONDS = 900;
// So late that workerd, which waits in real time, need not wait long for the end of the second; and early enough for no
// answer to fall into the next.
const INTO_SECOND_MS = 880;

/** Sends so many requests one after the other, each when everything before is done, also in the background. */
export async function record(steps: number, bundle: Bundle): Promise<Recorded[]> {
  const world = new World({ seed: 1, faults: new Set(), bundle, skewMs: 0, onLine: () => {} });
  const { time } = world;
  const recorded: Recorded[] = [];
  let failure: unknown = null;
  const sendAll = async () => {
    for (const request of requests(steps, world, recorded)) {
      await time.wait(
        1_000 - (time.now % 1_000) + INTO_SECOND_MS + world.random(`${recorded.length}`).integer(0, 5) * 1_000,
      );
      const at = time.now;
      const { isolate, env } = world.isolateAt("virginia");
      const { method, path, body, claims } = request;
      const headers = { Authorization: `Bearer ${signToken(claims, { now: at, seconds: TOKEN_SECONDS })}` };
      const answered = await isolate.fetch(
        new Request(`https://loyalty.example${path}`, { method, headers, body }),
        env,
      );
      const compared = COMPARED_HEADERS.map((name) => [name, answered.headers.get(name)]);
      const { status, body: text } = answered;
      recorded.push({ ...request, at, answer: { status, headers: Object.fromEntries(compared), body: text } });
    }
  };
  const sending = sendAll().catch((error: unknown) => {
    failure = error;
  });
  await time.passUntil(() => recorded.length === steps || failure !== null);
  await sending;
  world.close();
  if (failure !== null) throw failure;
  return recorded;
}

/** Feeds, polls that go on from what was seen, and everything else. */
function* requests(steps: number, world: World, recorded: readonly Recorded[]): Generator<Request> {
  const random = world.random("requests");
  const composer = new Composer({ number: 0, random, oldTime: () => null });
  const feed = (lines: readonly object[]): Request => ({
    claims: SYSTEM,
    method: "POST",
    path: "/api/v1/feed",
    body: lines.map((line) => JSON.stringify(line)).join("\n"),
  });
  yield feed(FIRST_LINES);
  for (let step = 1; step < steps; step += 1) {
    const claims = { scope: "customer", sub: random.pick(CUSTOMERS) };
    const kind = random.integer(1, 10);
    if (kind <= 3) {
      yield feed(Array.from({ length: random.integer(1, 4) }, () => composer.line()).flat());
    } else if (kind <= 6) {
      const seen = recorded.findLast((one) => one.claims.sub === claims.sub && one.path.includes("messages"));
      const [newest] = seen === undefined ? [] : (JSON.parse(seen.answer.body).items ?? []);
      const query = newest === undefined ? "" : `?check_time=${encodeURIComponent(newest.last_message_time)}`;
      yield { claims, method: "GET", path: `/api/v1/customer/messages${query}`, body: null };
    } else if (kind === 7) {
      yield { claims: { ...SYSTEM, scope: "export" }, method: "GET", path: "/api/v1/feed", body: null };
    } else {
      const { path, body } = random.pick(READINGS);
      yield {
        claims,
        method: body === undefined ? "GET" : "POST",
        path,
        body: body === undefined ? null : JSON.stringify(body),
      };
    }
  }
}
