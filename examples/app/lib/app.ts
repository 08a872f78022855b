import type { Client } from "loyalty-edge/client";
import type { DemoCustomer, Session } from "./session.ts";

/** What a view is given: one customer's app. */
export interface App {
  client: Client;
  customer: DemoCustomer;
  session: Session;
  /** Aborted when another customer is chosen. */
  ended: AbortSignal;
  /** Says something for a moment, to a screen reader too. */
  say: (text: string) => void;
  /** Shows a number beside a view's name. */
  count: (view: string, number: number, what: string) => void;
}

export interface View {
  element: HTMLElement;
  /** Asks the service anew. */
  refresh: () => Promise<void>;
}
