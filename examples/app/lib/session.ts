/** The data that `npm start` gives the page: demo customers, their program, and tokens for one hour. */
export interface Session {
  customers: [DemoCustomer, ...DemoCustomer[]];
  chains: [Chain, ...Chain[]];
  /** A feed token, as a till has one. */
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
  /** The first city of the chain, and the centre of its stores there. */
  city: string;
  latitude: number;
  longitude: number;
  campaigns: Named[];
  coupons: Named[];
  employees: Named[];
  contests: Named[];
}

/** Less than the hour after which a token expires. */
const FRESH_MS = 50 * 60_000;

let latest: { session: Promise<Session>; at: number } | null = null;

/** The session, renewed before its tokens expire. It is in memory only. */
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
