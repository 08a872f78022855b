/** The data that `npm start` gives the page: demo customers, their program, and tokens for one hour. */
export interface Session {
  customers: [DemoCustomer, ...DemoCustomer[]];
  chains: [Chain, ...Chain[]];
  tillToken: string;
  /** A feed token, as a shop's back office has one. */
  feedToken: string;
}

export interface Named {
  id: string;
  name: string;
}

export interface DemoCustomer extends Named {
  token: string;
  /** What a scanner reads from the customer's card. */
  card: string;
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

/** A session is renewed after this time. Its tokens expire after an hour. */
const RENEW_AFTER_MS = 50 * 60_000;

let latest: { session: Promise<Session>; at: number } | null = null;

/** The session, which is renewed before its tokens expire. The page keeps it only in memory. */
export function currentSession(): Promise<Session> {
  if (latest === null || Date.now() - latest.at > RENEW_AFTER_MS) {
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
