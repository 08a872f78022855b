import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Chain, DemoCustomer, Session } from "../../examples/app/lib/session.ts";
import { linesOf, type PartName } from "../program/program.ts";
import { DEMO } from "../program/shape.ts";
import { devToken } from "./tokens.ts";

/** The customers of the example app's page: c1, who has friends, four of these friends, and c2, who has nothing yet. */
export const APP_CUSTOMERS = ["c1", "c6", "c11", "c16", "c21", "c2"];
const HOUR_IN_DAYS = 1 / 24;
const ADDRESS = "127.0.0.1";
// The ids of campaigns and coupons that have ended, or that begin later. The page's till leaves them out.
const NOT_NOW = /-(past|opening|jubilee|next)$/;

/** The part of the demo program that the page needs. */
interface Program {
  customers: Omit<DemoCustomer, "token">[];
  chains: Chain[];
}

export type AppSession = Awaited<ReturnType<typeof serveAppSession>>;

/**
 * Serves tokens to the example app's page, at an address of its own. Each request gets new tokens, which are stored
 * nowhere. Only pages that the service serves get tokens.
 */
export async function serveAppSession(servicePort: number, env: string) {
  const program: Program = { customers: listCustomers(), chains: listChains() };
  const server = createServer().listen(0, ADDRESS);
  await once(server, "listening");
  const address = `${ADDRESS}:${(server.address() as AddressInfo).port}`;
  const pages = [ADDRESS, "localhost"].map((host) => `http://${host}:${servicePort}`);
  server.on("request", ({ headers: { host, origin = "" } }, response) => {
    response.setHeader("Cache-Control", "no-store").setHeader("Vary", "Origin");
    // A foreign page can send requests to this address too, but then `Origin` names that page. If a foreign domain points
    // to this machine (DNS rebinding), `Host` names that domain.
    if (host !== address || !pages.includes(origin)) return response.writeHead(403).end();
    response.setHeader("Access-Control-Allow-Origin", origin);
    return makeSession(program, env).then(
      (session) => response.setHeader("Content-Type", "application/json").end(JSON.stringify(session)),
      (error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      },
    );
  });
  return {
    url: `http://${address}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function makeSession({ customers, chains }: Program, env: string): Promise<Session> {
  return {
    customers: atLeastOne(
      await Promise.all(
        customers.map(async (customer) => {
          const bearer = { scope: "customer", customerId: customer.id } as const;
          return { ...customer, token: await devToken(bearer, env, HOUR_IN_DAYS) };
        }),
      ),
    ),
    chains: atLeastOne(chains),
    tillToken: await devToken({ scope: "till", accounts: "*" }, env, HOUR_IN_DAYS),
    feedToken: await devToken({ scope: "feed", accounts: "*" }, env, HOUR_IN_DAYS),
  };
}

const demoLines = (record: PartName) => [...linesOf(DEMO, record)];

function listCustomers(): Program["customers"] {
  return APP_CUSTOMERS.map((id) => {
    const person = demoLines("customer").find((customer) => customer.id === id);
    const memberships = demoLines("membership").filter(({ customer_id }) => customer_id === id);
    return {
      id,
      name: `${person?.first_name} ${person?.last_name}`,
      card: String(person?.scan_id),
      stores: memberships.map(({ store_id }) => {
        const store = demoLines("store").find((candidate) => candidate.id === store_id);
        const name = `${store?.address_line_1}, ${store?.city}`;
        return { id: String(store_id), name, chainId: String(store?.account_id) };
      }),
    };
  });
}

function listChains(): Chain[] {
  return demoLines("account").map(({ id, company }) => {
    const ownLines = (record: PartName) => demoLines(record).filter((line) => line.account_id === id);
    const namesOf = (record: PartName) =>
      ownLines(record)
        .filter(({ kind }) => kind !== "digital")
        .filter((line) => !NOT_NOW.test(String(line.id)))
        .map((line) => ({ id: String(line.id), name: String(line.name) }));
    const city = ownLines("store")[0]?.city;
    const cityStores = ownLines("store").filter((store) => store.city === city);
    const mean = (field: string) =>
      cityStores.reduce((sum, store) => sum + Number(store[field]), 0) / cityStores.length;
    return {
      id: String(id),
      name: String(company),
      city: String(city),
      latitude: mean("latitude"),
      longitude: mean("longitude"),
      campaigns: namesOf("campaign"),
      coupons: namesOf("coupon"),
      employees: namesOf("employee"),
      contests: namesOf("eip_campaign"),
    };
  });
}

function atLeastOne<Item>([first, ...others]: readonly Item[]): [Item, ...Item[]] {
  if (first === undefined) throw new Error("The demo program has nothing for the page.");
  return [first, ...others];
}
