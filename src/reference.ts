import { app } from "./app.ts";
import { nearbyCampaigns } from "./customer/campaigns/operations.ts";
import { listCoupons, listMyCoupons } from "./customer/coupons/operations.ts";
import { leaderboard } from "./customer/gamification/operations.ts";
import { openSocket } from "./customer/live/operations.ts";
import { listEntries } from "./customer/me/entries/operations.ts";
import { readMe } from "./customer/me/operations.ts";
import { listMessages } from "./customer/messages/operations.ts";
import { fullSearch } from "./customer/search/operations.ts";
import { teamWithLevel } from "./customer/stores/operations.ts";
import { listChanges } from "./feed/changes/operations.ts";
import { exportRecords, sendLines } from "./feed/operations.ts";
import { listRequests } from "./feed/requests/operations.ts";
import { openApiDocument } from "./openapi/document.ts";
import type { Operation } from "./openapi/notes.ts";
import { health } from "./service/operations.ts";
import { listTillCoupons } from "./till/customers/coupons/operations.ts";
import { findCustomers } from "./till/customers/operations.ts";
import { bookEntry } from "./till/entries/operations.ts";
import { explainCoupon } from "./till/explanations/operations.ts";
import { freeHold, holdCoupon } from "./till/holds/operations.ts";
import { redeemCoupon } from "./till/redemptions/operations.ts";
import { reverseRedemption } from "./till/reversals/operations.ts";

/** The description of each endpoint. The build turns it into a static asset, which makes the Worker 10 KiB smaller. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /api/v1/feed": sendLines,
  "GET /api/v1/feed": exportRecords,
  "GET /api/v1/feed/requests": listRequests,
  "GET /api/v1/feed/changes": listChanges,
  "POST /api/v1/customer/campaigns/near-by-popular-campaigns": nearbyCampaigns,
  "GET /api/v1/customer/coupons": listCoupons,
  "GET /api/v1/customer/my-coupons": listMyCoupons,
  "POST /api/v1/customer/full-search": fullSearch,
  "POST /api/v1/customer/gamification/leaderboard": leaderboard,
  "GET /api/v1/customer/live": openSocket,
  "GET /api/v1/customer/me": readMe,
  "GET /api/v1/customer/me/entries": listEntries,
  "GET /api/v1/customer/messages": listMessages,
  "GET /api/v1/customer/stores/:id/team-with-level": teamWithLevel,
  "POST /api/v1/till/customers/find": findCustomers,
  "GET /api/v1/till/customers/:id/coupons": listTillCoupons,
  "POST /api/v1/till/entries": bookEntry,
  "POST /api/v1/till/holds": holdCoupon,
  "DELETE /api/v1/till/holds/:id": freeHold,
  "POST /api/v1/till/redemptions": redeemCoupon,
  "POST /api/v1/till/reversals": reverseRedemption,
  "GET /api/v1/till/explanations": explainCoupon,
  "GET /health": health,
};

/** The OpenAPI document, served at `/openapi.json`. */
export const openApi = () => openApiDocument(app, OPERATIONS);
