import { createClient, LoyaltyError } from "loyalty-edge/client";
import { inAddress, putInAddress } from "./lib/address.ts";
import { note } from "./lib/answer-view.ts";
import type { App, View } from "./lib/app.ts";
import { type Cost, fetchWithCost, socketWithNotice } from "./lib/cost.ts";
import { byId, choice, h } from "./lib/dom.ts";
import { currentSession, type DemoCustomer, type Session } from "./lib/session.ts";
import { connectForm } from "./till/back-office.ts";
import { openTill } from "./till/till.ts";
import { createBalance } from "./views/balance.ts";
import { createBoard } from "./views/board.ts";
import { createCoupons } from "./views/coupons.ts";
import { createMessages } from "./views/messages.ts";
import { createNearby } from "./views/nearby.ts";
import { createPoints } from "./views/points.ts";
import { createSearch } from "./views/search.ts";
import { createTeam } from "./views/team.ts";

const CREATE = {
  points: createPoints,
  coupons: createCoupons,
  nearby: createNearby,
  messages: createMessages,
  team: createTeam,
  board: createBoard,
  search: createSearch,
  more: () => ({ element: more, refresh: async () => {} }),
};
type ViewName = keyof typeof CREATE;
const FIRST_VIEW = "points";
const NOTICE_MS = 6_000;

/** The links to the views that have no tab. */
const more = byId("more", HTMLUListElement);
const tabs = byId("tabs", HTMLElement);
const view = byId("view", HTMLElement);
const title = byId("title", HTMLElement);
const notice = byId("said", HTMLElement);
const tillSide = byId("till", HTMLDialogElement);
const isDesk = matchMedia("(min-width: 60rem)");
const Socket = socketWithNotice(() => void sendFor("health")("/health").catch(() => {}));

/** The current customer's data, and the views that were shown so far. */
let customerApp: Omit<App, "client"> | null = null;
let views: { [Name in ViewName]?: ReturnType<(typeof CREATE)[Name]> } = {};
let shownName: string | null = null;
let customerEnd = new AbortController();
let noticeTimer = 0;
/** By view, the cost of its latest request to each endpoint. */
const costs = new Map<string, Map<string, string>>();
let isOffline = false;

isDesk.addEventListener("change", placeTill);
byId("open-till", HTMLElement).addEventListener("click", showTill);
byId("close-till", HTMLElement).addEventListener("click", () => tillSide.close());
tillSide.addEventListener("close", () => document.body.append(notice));
addEventListener("offline", () => noteCost("", null));
addEventListener("online", () => void (isViewName(shownName) && views[shownName]?.refresh()));
addEventListener("hashchange", () => {
  showView();
  byId("main", HTMLElement).scrollTop = 0;
  title.focus({ preventScroll: true });
});
placeTill();
more.remove();
more.hidden = false;
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
  customerApp = {
    customer,
    session,
    endSignal: signal,
    say: (text) => void (signal.aborted || say(text)),
    count: (name, number, what) => void (signal.aborted || showCount(name, number, what)),
  };
  views = {};
  costs.clear();
  for (const name of Object.keys(CREATE)) showCount(name, 0, "");
  const onSent = (record: string) => void (record === "play" && viewOf("board").expectPlay());
  const shop = { customer, session, send: sendFor("till"), signal };
  openTill(shop);
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-record]"))
    connectForm(form, { ...shop, onSent });
  void follow(signal);
  showView();
}

/** The app as a view gets it: its client notes what the view's requests cost. */
function appFor(name: string): App {
  if (customerApp === null) throw new Error("No customer is chosen yet.");
  const { customer } = customerApp;
  const token = async () => (await currentSession()).customers.find(({ id }) => id === customer.id)?.token ?? "";
  const options = { url: location.origin, token, WebSocket: Socket, retry: { attempts: 1 } };
  return { ...customerApp, client: createClient({ ...options, fetch: sendFor(name) }) };
}

/** A view is created, and sends its requests, when it is first needed. */
function viewOf<Name extends ViewName>(name: Name): NonNullable<(typeof views)[Name]> {
  const known = views[name];
  if (known !== undefined) return known;
  const created = CREATE[name](appFor(name)) as NonNullable<(typeof views)[Name]>;
  views[name] = created;
  void created.refresh();
  return created;
}

/** Loads everything once, then reloads changed data after each frame, until another customer is chosen. */
async function follow(signal: AbortSignal): Promise<void> {
  const app = appFor("live");
  const [coupons, messages, balance] = [viewOf("coupons"), viewOf("messages"), createBalance(app)];
  const refreshBalance = () => Promise.all([balance.refresh(), views.points?.refresh()]);
  const live = { coupons, messages, balance: { refresh: refreshBalance } };
  byId("balance", HTMLElement).replaceChildren(balance.element);
  try {
    for await (const { what } of app.client.changes({ signal }))
      await Promise.all(what.map((kind) => live[kind].refresh()));
  } catch (error) {
    if (!(error instanceof LoyaltyError)) throw error;
    view.replaceChildren(note(`The service refused the token: ${error.message}`));
  }
}

function isViewName(name: string | null): name is ViewName {
  return name !== null && Object.hasOwn(CREATE, name);
}

function linkIn(links: HTMLElement, name: string): Element | null {
  return links.querySelector(`a[href="#${CSS.escape(name)}"]`);
}

/** Shows the view that the address names. */
function showView(): void {
  if (customerApp === null) return;
  const name = location.hash.slice(1) || FIRST_VIEW;
  shownName = name;
  const row = linkIn(more, name);
  const tab = linkIn(tabs, row === null ? name : "more");
  for (const link of tabs.querySelectorAll("a")) link.ariaCurrent = null;
  if (tab !== null) tab.ariaCurrent = row === null ? "page" : "true";
  title.textContent = (row ?? tab)?.querySelector("strong, span")?.textContent ?? "Not found";
  showCost();
  if (!isViewName(name)) {
    const back = h("a", { href: `#${FIRST_VIEW}` }, "Go to your points");
    view.replaceChildren(note(`This app has no page "${name}".`, back));
    return;
  }
  const shown: View = viewOf(name);
  view.replaceChildren(shown.element);
  shown.onShown?.();
}

/** On a wide screen the till is beside the app. On a phone a button opens it. */
function placeTill(): void {
  tillSide.close();
  tillSide.open = isDesk.matches;
}

function showTill(): void {
  tillSide.showModal();
  // Nothing outside of a modal dialog can be over it.
  tillSide.append(notice);
}

function showCount(name: string, number: number, what: string): void {
  const link = linkIn(tabs, name);
  const title = `${number} ${what}`;
  link?.querySelector("b")?.remove();
  // As an image, the badge is read out by its label: the unit belongs to the link's name.
  if (number > 0) link?.append(h("b", { role: "img", title, "aria-label": title }, String(number)));
}

function sendFor(name: string): typeof fetch {
  return fetchWithCost((cost) => noteCost(name, cost));
}

function noteCost(name: string, cost: Cost | null): void {
  const isBack = cost !== null && isOffline;
  isOffline = cost === null;
  byId("offline", HTMLElement).textContent = isOffline ? "Offline: the service does not answer. Trying again …" : "";
  if (cost !== null) costs.set(name, new Map(costs.get(name)).set(...cost));
  showCost();
  // The browser fires no `online` event when a server restarts. This fires it: views retry, and the socket connects.
  if (isBack) dispatchEvent(new Event("online"));
}

function showCost(): void {
  const linesOf = (name: string) =>
    [...(costs.get(name) ?? [])].map(([path, text]) => h("li", {}, `${path} · ${text}`));
  byId("till-cost", HTMLElement).replaceChildren(...linesOf("till"));
  byId("cost", HTMLElement).replaceChildren(...linesOf(shownName ?? ""));
}

function say(text: string): void {
  notice.textContent = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => notice.replaceChildren(), NOTICE_MS);
}
