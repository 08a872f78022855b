import type { Client } from "../../client/src/client.ts";
import type { Row } from "../model/kinds.ts";
import { schedule } from "./actors/operator.ts";
import { customerToken, feedCall, Network } from "./network.ts";
import type { Bundle } from "./platform/code.ts";
import { customerLine, groupLine } from "./program.ts";
import { Rules } from "./rules/rules.ts";
import { World } from "./world.ts";

const CHANGES_A_RUN = 10;
const BETWEEN_MS = 20_000;
const ASK_AGAIN_MS = 100;
const BOOKMARK_LIMIT_MS = 4_000;
const APP = { location: "sydney", customer: "reader" } as const;
const [WRITER, ACCOUNT, ITEM] = ["writer", "900001", "measured"];
const OF_READER = { customer_id: APP.customer, store_id: ITEM };

/** For each kind of change: a line that makes one, and what an app reads to see it. */
const CHANGES = {
  coupons: {
    line: (id: string): Row => ({ record: "customer_coupon", id, ...OF_READER, campaign_coupon_id: ITEM }),
    read: (client: Client) => client.coupons(),
  },
  balance: {
    line: (id: string): Row => ({ record: "balance_entry", id, ...OF_READER, amount: "1.00" }),
    read: (client: Client) => client.entries(),
  },
  messages: {
    line: (id: string): Row => ({ record: "message", id, group_id: ITEM, customer_id: WRITER, body: id }),
    read: (client: Client) => client.messages(),
  },
};
type Kind = keyof typeof CHANGES;

/** When an app had a change. */
export interface Measured {
  kind: Kind;
  /** From the feed's 200 until the app had the change. */
  milliseconds: number;
  /** Whether the first read after the frame showed it. */
  isShownAtOnce: boolean;
  /** Whether the primary answered that read, because the replica did not have the bookmark in time. */
  isByPrimary: boolean;
  /** Whether a client without a socket or a bookmark got it at once: by a poll when the frame came. Null: it is no message. */
  isPolledAtOnce: boolean | null;
}

/** Measures when an app far from the primary has changes, while replicas lag as usual and nothing fails. */
export async function measureFreshness(seed: number, bundle: Bundle): Promise<Measured[]> {
  const world = new World({ seed, bundle, onLine: () => {} });
  world.weather.end();
  const measured: Measured[] = [];
  let isOver = false;
  const measuring = measure(world, measured, () => isOver).finally(() => {
    isOver = true;
  });
  await world.time.passUntil(() => isOver || world.failure !== null);
  world.close();
  if (world.failure !== null) throw world.failure;
  await measuring;
  return measured;
}

async function measure(world: World, measured: Measured[], isOver: () => boolean): Promise<void> {
  const network = new Network(world, new Rules(world));
  const feed = async (lines: readonly Row[]) => {
    const { status, body } = await network.send(feedCall("virginia", lines));
    if (status !== 200) throw new Error(`A feed is answered ${status}: ${body}`);
  };
  await feed([
    { record: "account", id: ACCOUNT, company: "Blue Cup" },
    { record: "store", id: ITEM, account_id: ACCOUNT, name: "Main Street", latitude: 1, longitude: 1 },
    { record: "coupon", id: ITEM, account_id: ACCOUNT, kind: "store", name: "Tea", type: "Free_Item", value: "1" },
    ...[APP.customer, WRITER].map(customerLine),
    groupLine(ITEM, [WRITER, APP.customer]),
  ]);
  void schedule({ world, isOver });
  const client = world.outside.service.createClient({
    url: "https://loyalty.example",
    token: () => customerToken(world, APP.customer),
    fetch: network.fetchFor(APP.location, { customer: APP.customer }),
    WebSocket: network.socketsFor(APP.location, () => {}),
  });
  const frames = client.changes();
  await frames.next();
  for (let number = 1; number <= CHANGES_A_RUN; number += 1)
    for (const kind of Object.keys(CHANGES) as Kind[]) {
      const { line, read } = CHANGES[kind];
      const isShown = async () => JSON.stringify(await read(client)).includes(`"${kind} ${number}"`);
      await world.time.wait(BETWEEN_MS);
      const frame = frames.next();
      await feed([line(`${kind} ${number}`)]);
      const fedAt = world.time.now;
      await frame;
      const polling = kind === "messages" ? network.send({ ...APP, path: "/api/v1/customer/messages" }) : null;
      const askedAt = world.time.now;
      const isShownAtOnce = await isShown();
      const isByPrimary = world.time.now - askedAt > BOOKMARK_LIMIT_MS;
      if (!isShownAtOnce) while (!(await isShown())) await world.time.wait(ASK_AGAIN_MS);
      const milliseconds = world.time.now - fedAt;
      const isPolledAtOnce = polling && (await polling).body.includes(`"${kind} ${number}"`);
      measured.push({ kind, milliseconds, isShownAtOnce, isByPrimary, isPolledAtOnce });
    }
}
