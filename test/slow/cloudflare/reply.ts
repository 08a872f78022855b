/** An answer of the API. */
export interface Reply {
  /** An object, or the answer of a Worker, without an envelope. */
  bytes?: Buffer;
  /** Closes the connection without an answer. */
  hangsUp?: boolean;
  result?: unknown;
  result_info?: { cursor?: string | undefined };
  status?: number;
  headers?: Record<string, string>;
  code?: number;
  message?: string;
}
