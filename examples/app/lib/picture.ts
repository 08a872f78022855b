import { inColourOf } from "./chain.ts";
import { svg } from "./dom.ts";

/** The motifs of campaigns, as paths in a box of 24 by 24. */
const MOTIFS = [
  "M12 3l2.8 5.7 6.2.9-4.5 4.4 1 6.2-5.5-2.9-5.5 2.9 1-6.2L3 9.6l6.2-.9z",
  "M5 8h11v6a5 5 0 0 1-5 5h-1a5 5 0 0 1-5-5zM16 9h2a2.5 2.5 0 0 1 0 5h-2M8 3v2M11 3v2M14 3v2",
  "M4 11h16v9H4zM3 7.5h18V11H3zM12 7.5V20M12 7.5C8 7.5 7 3.5 9.5 3.5S12 7.5 12 7.5s0-4 2.5-4 1.5 4-2.5 4z",
  "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19",
];

/**
 * A drawn picture of a campaign. The demo program has no pictures: an app of yours shows `campaign_image`. Campaigns of one
 * name have one motif.
 */
export function campaignPicture(accountId: string | number, name: string): SVGElement {
  const motif = MOTIFS[sumOfCodes(name) % MOTIFS.length] ?? "";
  const line = {
    d: motif,
    fill: "none",
    stroke: "currentColor",
    "stroke-linejoin": "round",
    "stroke-linecap": "round",
  };
  return picture(
    accountId,
    svg("rect", { class: "base", width: 96, height: 60 }),
    svg("circle", { class: "tone", cx: 82, cy: 8, r: 30 }),
    svg("circle", { class: "deep", cx: 8, cy: 60, r: 26 }),
    svg("path", { ...line, "stroke-width": 1.5, transform: "translate(33.6 15.6) scale(1.2)" }),
  );
}

/** A drawn picture of a store: a shop front. An app of yours shows `store_image`. */
export function storePicture(accountId: string | number, id: string): SVGElement {
  const look = sumOfCodes(id);
  const doorX = 20 + (look % 3) * 22;
  const windowXs = [14, 36, 58].filter((x) => x !== doorX - 6);
  const stripes = [0, 1, 2, 3, 4, 5].map((index) => {
    const x = 12 + index * 12;
    return svg("path", { class: index % 2 === 0 ? "light" : "deep", d: `M${x} 16h12v8a6 6 0 0 1-12 0z` });
  });
  return picture(
    accountId,
    svg("rect", { class: "pale", width: 96, height: 60 }),
    svg("rect", { class: "base", x: 14, y: 12, width: 68, height: 44 }),
    svg("rect", { class: "deep", x: 0, y: 56, width: 96, height: 4 }),
    ...windowXs.map((x) => svg("rect", { class: "light", x: x + 4, y: 34, width: 14, height: 13, rx: 1 })),
    svg("rect", { class: "tone", x: doorX - 2, y: 33, width: 14, height: 23, rx: 1 }),
    ...stripes,
  );
}

function picture(accountId: string | number, ...shapes: SVGElement[]): SVGElement {
  const box = { viewBox: "0 0 96 60", preserveAspectRatio: "xMidYMid slice", "aria-hidden": "true", class: "picture" };
  return inColourOf(accountId, svg("svg", box, ...shapes));
}

function sumOfCodes(text: string): number {
  return [...text].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0);
}
