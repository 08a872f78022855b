import fc from "fast-check";
import { inject } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import {
  customerClaims,
  type FuzzedRequest,
  fromEachCall,
  type GoodRequest,
  program,
  spoilRequest,
} from "./requests.ts";

const random = new Random(`own state ${inject("fuzz").seed}`);
const PATH = "/api/v1/customer";

/** A member of a group. */
interface Member {
  groupId: string;
  customerId: string;
}

const anyCustomer = () => random.pick(program.idsOf("customer"));

function request(method: "PUT" | "POST" | "DELETE", path: string, parameters: object, id = "", sub = anyCustomer()) {
  const names = Object.keys(parameters);
  return { method, path: PATH + path, id, parameters: { ...parameters }, names, claims: customerClaims(sub) };
}

function goodRequest(members: readonly Member[]): GoodRequest {
  const { groupId, customerId } = random.pick(members);
  // Few, so that a request often ends the block of another.
  const [blocker, ...others] = [...new Set(members.map((member) => member.customerId))].slice(0, 4);
  const read_up_to = random.pick(["2020-01-01", "2026-11-20 10:00:00", "2099-01-01 00:00:00"]);
  const notifications_disabled = random.integer(0, 1);
  const put = (state: object) => request("PUT", "/messages/:group_id/state", state, groupId, customerId);
  return random.pick([
    () => put({ read_up_to }),
    () => put({ notifications_disabled }),
    () => put({ read_up_to, notifications_disabled }),
    () => request("PUT", "/blocks/:customer_id", {}, random.pick(others), blocker),
    () => request("DELETE", "/blocks/:customer_id", {}, random.pick(others), blocker),
    () => request("POST", "/me/requests", { type: random.pick(["data", "erasure"]) }),
  ])();
}

/** A request by which a customer writes, as it should be, or one that is spoilt. */
export function ownRequest(members: readonly Member[]): fc.Arbitrary<FuzzedRequest> {
  const requests = fromEachCall(() => goodRequest(members));
  return fc
    .oneof(requests.chain(spoilRequest), requests.map(asItShouldBe))
    .map((sent) => (["GET", "HEAD"].includes(sent.method) ? { ...sent, body: null } : sent));
}

function asItShouldBe({ method, path, id = "", parameters, claims }: GoodRequest): FuzzedRequest {
  const target = path.replace(/:\w+/, () => encodeURIComponent(id));
  return { method, path, target, headers: {}, body: JSON.stringify(parameters), claims };
}
