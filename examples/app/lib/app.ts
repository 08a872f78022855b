import type { Client } from "loyalty-edge/client";
import type { DemoCustomer, Session } from "./session.ts";

/** What each view receives: the chosen customer, a client with their token, and ways to notify them. */
export interface App {
  client: Client;
  customer: DemoCustomer;
  session: Session;
  /** Aborted when another customer is chosen. */
  endSignal: AbortSignal;
  /** Shows a short notice, which screen readers read out. */
  say: (text: string) => void;
  /** Shows a number beside a view's name. */
  count: (view: string, number: number, what: string) => void;
}

export interface View {
  element: HTMLElement;
  /** Sends the view's requests again. */
  refresh: () => Promise<void>;
  /** Is called when the view comes on the screen. */
  onShown?: () => void;
}
