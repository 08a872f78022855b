import { createClient, LoyaltyError } from "loyalty-edge/client";

/** Makes every call of the client. Resolves with the first record of each answer. */
export async function callAll(url, token) {
  const client = createClient({ url, token });
  const stop = new AbortController();
  let groups = 0;
  for await (const _group of client.newMessages({ since: "", everyMs: 10, signal: stop.signal })) {
    groups += 1;
    if (groups === 2) stop.abort();
  }
  // No service listens on this port.
  const unreachable = createClient({ url: "http://127.0.0.1:9", token, retry: { longestWaitMs: 10 } });
  const board = await client.leaderboard({ location_id: "s101-1-1" });
  return {
    nearbyCampaigns: first(
      await client.nearbyCampaigns({ latitude: 35.68, longitude: 139.76, single_account_id: "101" }),
    ),
    me: (await client.me()).items,
    messages: first(await client.messages({ per_page: 1 })),
    teamWithLevel: first(await client.teamWithLevel("s101-1-6", { level_no: 1 })),
    coupons: first(await client.coupons({ includemfg: true })),
    myCoupons: first(await client.myCoupons({ storeId: ["s101-1-6"] })),
    all: await summaryOfAll(client),
    unchanged: (await client.coupons({ includemfg: true })).httpStatus,
    fullSearch: first(await client.fullSearch({ query: "blue har" })),
    leaderboard: first(board),
    hasAge: Number.isInteger(board.age),
    failure: await client.fullSearch({ query: "b" }),
    groups,
    refused: await createClient({ url, token: "nobody's" })
      .changes()
      .next()
      .catch((error) => error instanceof LoyaltyError && error.failure?.errorCode),
    unreachable: await unreachable
      .messages()
      .catch((error) => error instanceof LoyaltyError && error.cause instanceof Error),
  };
}

/** Reads all coupons in small pages. Resolves with their kinds, and whether each coupon came once. */
async function summaryOfAll(client) {
  const kinds = new Set();
  const ids = [];
  for await (const entry of client.myCoupons.all({ per_page: 3 })) {
    kinds.add(entry.kind);
    ids.push(entry.kind === "digital" ? entry.coupon.id : entry.id);
  }
  return { kinds: [...kinds], areMany: ids.length > 3, areDistinct: new Set(ids).size === ids.length };
}

/** Listens with changes() and newMessages() until a message comes. Calls `onReady` when the caller should feed it. */
export async function listen(url, token, onReady) {
  const client = createClient({ url, token });
  const since = first(await client.messages({ per_page: 1 }));
  const messages = client.newMessages({ since });
  const arriving = messages.next();
  const changed = [];
  for await (const { what } of client.changes()) {
    changed.push(what);
    if (changed.length === 1) onReady();
    else break;
  }
  const changedAt = Date.now();
  const { value } = await arriving;
  await messages.return();
  return { changed, message: value.last_message, secondsLater: (Date.now() - changedAt) / 1_000 };
}

function first(result) {
  return result.status ? Object.values(result.items).flat()[0] : result;
}
