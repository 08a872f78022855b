import { createClient, LoyaltyError } from "loyalty-edge/client";
import { inAddress, putInAddress } from "./lib/address.ts";
import { note } from "./lib/answer-view.ts";
import type { App, View } from "./lib/app.ts";
import { fetchWithCost, socketWithNotice } from "./lib/cost.ts";
import { byId, choice, h } from "./lib/dom.ts";
import { currentSession, type DemoCustomer, type Session } from "./lib/session.ts";
import { serveWith } from "./till.ts";
import { createBalance } from "./views/balance.ts";
import { createBoard } from "./views/board.ts";
import { createCoupons } from "./views/coupons.ts";
import { createMessages } from "./views/messages.ts";
import { createNearby } from "./views/nearby.ts";
import { createPoints } from "./views/points.ts";
import { createSearch } from "./views/search.ts";
import { createTeam } from "./views/team.ts";

const CREATE: Record<string, (app: App) => View> = {
  nearby: createNearby,
  coupons: createCoupons,
  messages: createMessages,
  team: createTeam,
  search: createSearch,
  board: createBoard,
  points: createPoints,
};
const NOTICE_MS = 6_000;

const view = byId("view", HTMLElement);
const title = byId("title", HTMLElement);
const cost = byId("cost", HTMLElement);
const notice = byId("said", HTMLElement);
const tillSide = byId("till", HTMLDialogElement);
const isDesk = matchMedia("(min-width: 60rem)");
const send = fetchWithCost(showCost);
const Socket = socketWithNotice(() => void send("/health").catch(() => {}));

/** The app of the chosen customer, and the views that it has shown so far. */
let app: App | null = null;
let views = new Map<string, View>();
let shownView: View | null = null;
let customerEnd = new AbortController();
let noticeTimer = 0;

isDesk.addEventListener("change", placeTill);
byId("open-till", HTMLElement).addEventListener("click", () => tillSide.showModal());
byId("close-till", HTMLElement).addEventListener("click", () => tillSide.close());
addEventListener("offline", () => showCost(null));
addEventListener("online", () => void shownView?.refresh());
addEventListener("hashchange", () => {
  showView();
  title.focus({ preventScroll: true });
});
placeTill();
await currentSession().then(begin, (error: Error) => {
  const reload = h("button", { type: "button", click: () => location.reload() }, "Reload");
  view.replaceChildren(note(`There are no tokens: is npm start running? ${error.message}`, reload));
});

function begin(session: Session): void {
  const choose = (id: string) => {
    putInAddress("customer", id);
    switchTo(session.customers.find((customer) => customer.id === id) ?? session.customers[0], session);
  };
  const customerId = inAddress("customer");
  byId("who", HTMLElement).replaceChildren(choice("I\u00a0am", session.customers, choose, customerId));
  choose(customerId);
}

function switchTo(customer: DemoCustomer, session: Session): void {
  customerEnd.abort();
  notice.replaceChildren();
  customerEnd = new AbortController();
  const { signal } = customerEnd;
  const token = async () => (await currentSession()).customers.find(({ id }) => id === customer.id)?.token ?? "";
  app = {
    client: createClient({ url: location.origin, token, fetch: send, WebSocket: Socket, retry: { attempts: 1 } }),
    customer,
    session,
    endSignal: signal,
    say: (text) => void (signal.aborted || say(text)),
    count: (name, number, what) => void (signal.aborted || showCount(name, number, what)),
  };
  views = new Map();
  for (const name of Object.keys(CREATE)) showCount(name, 0, "");
  // No frame comes for a play, and the service caches a board for 30 seconds. So this reloads it later.
  const askForBoard = () => views.get("board")?.refresh();
  const onSent = (record: string) => void (record === "play" && setTimeout(askForBoard, 31_000));
  for (const form of document.forms) serveWith(form, { customer, session, send, onSent, signal });
  void follow(app, signal);
  showView();
}

/** Loads everything once, then reloads changed data after each frame, until another customer is chosen. */
async function follow(currentApp: App, signal: AbortSignal): Promise<void> {
  const [coupons, messages, balance] = [
    createCoupons(currentApp),
    createMessages(currentApp),
    createBalance(currentApp),
  ];
  const refreshBalance = () => Promise.all([balance.refresh(), views.get("points")?.refresh()]);
  const live = { coupons, messages, balance: { refresh: refreshBalance } };
  views.set("coupons", coupons).set("messages", messages);
  byId("balance", HTMLElement).replaceChildren(balance.element);
  try {
    for await (const { what } of currentApp.client.changes({ signal }))
      await Promise.all(what.map((kind) => live[kind].refresh()));
  } catch (error) {
    if (!(error instanceof LoyaltyError)) throw error;
    view.replaceChildren(note(`The service refused the token: ${error.message}`));
  }
}

/** Shows the view that the address names. A view is created, and sends its requests, when it is first shown. */
function showView(): void {
  if (app === null) return;
  const name = Object.hasOwn(CREATE, location.hash.slice(1)) ? location.hash.slice(1) : "nearby";
  shownView = views.get(name) ?? (CREATE[name] ?? createNearby)(app);
  if (!views.has(name)) void shownView.refresh();
  views.set(name, shownView);
  view.replaceChildren(shownView.element);
  for (const link of document.querySelectorAll<HTMLElement>("nav a, #balance")) {
    const isShown = link.getAttribute("href") === `#${name}`;
    link.ariaCurrent = isShown ? "page" : null;
    if (isShown) title.textContent = link.dataset.title ?? link.querySelector("span")?.textContent ?? "";
  }
}

/** On a wide screen the till is beside the app. On a phone a button opens it. */
function placeTill(): void {
  tillSide.close();
  tillSide.open = isDesk.matches;
}

function showCount(name: string, number: number, what: string): void {
  const badge = document.querySelector(`nav a[href="#${name}"] b`);
  badge?.replaceChildren(number === 0 ? "" : String(number));
  badge?.setAttribute("title", `${number} ${what}`);
}

function showCost(text: string | null): void {
  const isBack = text !== null && cost.classList.contains("offline");
  cost.classList.toggle("offline", text === null);
  cost.textContent = text ?? "Offline: the service does not answer. Trying again …";
  // The browser fires no `online` event when a server restarts. This fires it: views retry, and the socket connects.
  if (isBack) dispatchEvent(new Event("online"));
}

function say(text: string): void {
  notice.textContent = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => notice.replaceChildren(), NOTICE_MS);
}
