import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import type { Chain, DemoCustomer, Session } from "../../examples/app/lib/session.ts";
import { linesOf, type PartName } from "../program/program.ts";
import { DEMO } from "../program/shape.ts";
import { ROOT } from "./project.ts";
import { devToken } from "./tokens.ts";

const APP = path.join(ROOT, "examples", "app");
/** The customers of the example app's page: c1, who has friends, four of these friends, and c2, who has nothing yet. */
const APP_CUSTOMERS = ["c1", "c6", "c11", "c16", "c21", "c2"];
// The ids of campaigns and coupons that have ended, or that begin later. The page's till leaves them out.
const NOT_NOW = /-(past|opening|jubilee|next)$/;

/**
 * The page may load and call only what the service serves, and may not insert texts as HTML. The line with `!` removes
 * the reference page's policy, which would apply too.
 */
const HEADERS = `
/app/*
  ! Content-Security-Policy
  Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
`;

export interface ExampleApp {
  /** The files of the page, below `app/`. */
  files: ReadonlyMap<string, string>;
  /** Their lines of `_headers`. */
  headers: string;
}

export async function buildExampleApp(env: string): Promise<ExampleApp> {
  const { outputFiles } = await build({
    entryPoints: [path.join(APP, "main.ts"), path.join(APP, "styles.css")],
    // The name by which an app imports the package of the typed client.
    alias: { "loyalty-edge/client": path.join(ROOT, "src", "client", "index.ts") },
    outdir: APP,
    write: false,
    bundle: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    logLevel: "error",
  });
  const bundled = outputFiles.map(({ path: file, text }) => [`app/${path.basename(file)}`, text] as const);
  return {
    files: new Map([
      ...bundled,
      ["app/index.html", readFileSync(path.join(APP, "index.html"), "utf8")],
      ["app/session.json", JSON.stringify(await makeSession(env))],
    ]),
    headers: HEADERS,
  };
}

/** The tokens and the data of the page. The tokens are good on this machine only. */
async function makeSession(env: string): Promise<Session> {
  const customers = listCustomers().map(async (customer) => {
    const bearer = { scope: "customer", customerId: customer.id } as const;
    return { ...customer, token: await devToken(bearer, env) };
  });
  return {
    customers: atLeastOne(await Promise.all(customers)),
    chains: atLeastOne(listChains()),
    tillToken: await devToken({ scope: "feed", accounts: "*" }, env),
  };
}

const demoLines = (record: PartName) => [...linesOf(DEMO, record)];

function listCustomers(): Omit<DemoCustomer, "token">[] {
  return APP_CUSTOMERS.map((id) => {
    const person = demoLines("customer").find((customer) => customer.id === id);
    const memberships = demoLines("membership").filter(({ customer_id }) => customer_id === id);
    return {
      id,
      name: `${person?.first_name} ${person?.last_name}`,
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
