import type { State } from "../model/state.ts";
import type { Answered } from "./platform/isolates.ts";
import type { Location } from "./world.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A request of an app, with a token of its customer; of a till; or of a system of record, with a token of this scope. */
export interface Call {
  location: Location;
  method?: Method;
  path: string;
  customer?: string;
  /** The name of a till. */
  till?: string;
  scope?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answer extends Answered {
  // biome-ignore lint/suspicious/noExplicitAny: actors and rules read fields of any body.
  json: any;
  /** What the service read from copies of the database for this request. */
  reads: readonly DatabaseRead[];
}

/** The model's state after a commit. */
export interface Moment {
  commit: number;
  /** How many feed requests had been committed. */
  version: number;
  state: State;
  /** The time of the last messages. Only messages of earlier seconds are shown. */
  stamp: string;
}

/** The state that a request read from a copy of the database, and the time by the copy's clock. */
export interface DatabaseRead extends Moment {
  now: string;
}
