/** What `npm start` gives the page: demo customers, their program, and tokens that live an hour. */
export interface Session {
  customers: [DemoCustomer, ...DemoCustomer[]];
  chains: [Chain, ...Chain[]];
  /** A feed token: what a till would have. */
  tillToken: string;
}

export interface Named {
  id: string;
  name: string;
}

export interface DemoCustomer extends Named {
  token: string;
  /** The stores that the customer has joined. */
  stores: (Named & { chainId: string })[];
}

export interface Chain extends Named {
  /** The first of its cities, and the middle of its stores there. */
  city: string;
  latitude: number;
  longitude: number;
  campaigns: Named[];
  coupons: Named[];
  employees: Named[];
  contests: Named[];
}

/** Well within the hour that a token lives. */
const FRESH_MS = 50 * 60_000;

let latest: { session: Promise<Session>; at: number } | null = null;

/** The session, asked for anew before its tokens expire. It is held in memory only. */
export function currentSession(): Promise<Session> {
  if (latest === null || Date.now() - latest.at > FRESH_MS) {
    const session = ask();
    latest = { session, at: Date.now() };
    session.catch(() => {
      latest = null;
    });
  }
  return latest.session;
}

async function ask(): Promise<Session> {
  const { session } = (await (await fetch("settings.json")).json()) as { session: string };
  const answer = await fetch(session, { cache: "no-store" });
  if (!answer.ok) throw new Error(`npm start refused this page (${answer.status}).`);
  return (await answer.json()) as Session;
}
