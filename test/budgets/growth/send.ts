import type { Usage } from "../../../src/db/database.ts";
import { sendTo } from "../../support/bindings.ts";

/** What a request costs in SQLite. */
export interface Cost {
  rowsRead: number;
  milliseconds: number;
}

export type Ask = () => Promise<Cost>;

export const toCost = ({ rowsRead, sqlMilliseconds }: Usage): Cost => ({ rowsRead, milliseconds: sqlMilliseconds });

export const sendAs = (token: string, path: string, init: RequestInit = {}) =>
  sendTo({ ENVIRONMENT: "development" }, path, { ...init, headers: { Authorization: `Bearer ${token}` } });

/** @throws if the request is refused. */
export async function costOf(response: Response): Promise<Cost> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  const timing = response.headers.get("Server-Timing") ?? "";
  return {
    rowsRead: Number(/rows;desc="(\d+)"/.exec(timing)?.[1]),
    milliseconds: Number(/sql;dur=([\d.]+)/.exec(timing)?.[1]),
  };
}
