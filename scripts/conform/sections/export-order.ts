import { expectSame } from "../expect.ts";
import { exportedLines } from "../http.ts";
import type { Section, Suite } from "../suite.ts";

/** Kinds in the order of an export; others lie between them. */
const ORDER = ["account", "store", "campaign", "customer", "coupon", "employee", "eip_campaign", "message_group"];

/** docs/contract/export.md, 2 */
export async function exportOrder(suite: Suite): Promise<Section> {
  return {
    cited: "export, 2",
    reads: {
      "kind by kind, what others refer to first.": async () => {
        const answer = await suite.http.send("/api/v1/feed", { token: await suite.tokens.export() });
        const kinds = [...new Set(exportedLines(answer).map(({ record }) => String(record)))];
        const places = kinds.map((kind) => ORDER.indexOf(kind)).filter((place) => place >= 0);
        const sorted = places.toSorted((one, other) => one - other);
        expectSame(places, sorted, `the order of ${kinds.join(", ")}`);
      },
    },
  };
}
