import { h, initials } from "./dom.ts";

/** The golden angle: neighbouring numbers get hues that are far apart. */
const HUE_STEP_DEGREES = 137.508;

/** Gives an element the colour of a chain: styles/base.css mixes its colours from `--hue`. */
export function inColourOf<Kind extends HTMLElement | SVGElement>(accountId: string | number, element: Kind): Kind {
  element.classList.add("chain");
  element.style.setProperty("--hue", String(Math.round((Number(accountId) * HUE_STEP_DEGREES) % 360)));
  return element;
}

/** A circle with a chain's initials, in its colour. */
export function chainBadge(accountId: string | number, company: string): HTMLElement {
  return inColourOf(accountId, h("span", { class: "circle", "aria-hidden": "true" }, initials(company)));
}
