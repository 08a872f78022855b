import { createClient } from "loyalty-edge/client";

/** Makes calls whose results need headers of the answer. Resolves with a part of each result. */
export async function callAll(url, token) {
  const client = createClient({ url, token });
  const [coupons, sameCoupons] = [await client.coupons(), await client.coupons()];
  const board = await client.leaderboard({ location_id: "s101-1-1" });
  const { errorCode, requestId, messages } = await client.fullSearch({ query: "b" });
  return {
    coupon: coupons.items[0].id,
    statuses: [coupons.httpStatus, sameCoupons.httpStatus],
    hasAge: Number.isInteger(board.age),
    failure: { errorCode, hasId: requestId !== "", messages },
  };
}

/** Listens with changes() and newMessages() until a message comes. Calls `onReady` when the caller should feed it. */
export async function listen(url, token, onReady) {
  const client = createClient({ url, token });
  const { items } = await client.messages({ per_page: 1 });
  const messages = client.newMessages({ since: items[0] });
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
