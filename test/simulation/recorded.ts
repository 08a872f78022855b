/** A request and its answer, as they were in simulated time without faults. */
export interface Recorded {
  /** When it was sent, in milliseconds since 1970. */
  at: number;
  /** What its token says, beside when it ends. */
  claims: Record<string, unknown>;
  method: "GET" | "POST";
  path: string;
  body: string | null;
  answer: { status: number; headers: Record<string, string | null>; body: string };
}
