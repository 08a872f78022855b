import type { SearchStore } from "loyalty-edge/client";
import { h, svg } from "../lib/dom.ts";

export type Place = Pick<SearchStore, "latitude" | "longitude">;

const REACH_MILES = 16;
/** How far from the map's middle a store's name may be centred, so that it fits. */
const NAME_REACH_MILES = 6;
const RINGS_MILES = [5, 10, 15];
const STEPS: Record<string, [x: number, y: number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
// Uses the service's earth radius (docs/contract/interface.md, 4.1). On the small map the earth is flat.
const MILES_A_DEGREE = (3958.7613 * Math.PI) / 180;

/** Draws a map of stores around a place, with one SVG unit per mile. A pointer or the arrow keys move the customer. */
export function createMap(onMove: (place: Place) => void) {
  let centre: Place = { latitude: 0, longitude: 0 };
  let [x, y] = [0, 0];
  const rings = RINGS_MILES.flatMap((miles) => [
    svg("circle", { r: miles, fill: "none", stroke: "currentColor", "stroke-width": 0.06 }),
    svg("text", { y: 1.2 - miles, "font-size": 1, "text-anchor": "middle", "aria-hidden": "true" }, `${miles} mi`),
  ]);
  const pin = svg("g", { class: "pin" }, svg("circle", { r: 1.8, opacity: 0.3 }), svg("circle", { r: 0.7 }));
  const ownPlace = svg("g", {}, ...rings, pin);
  const dots = svg("g");
  const name = svg("text", { class: "name", "font-size": 1.15, "text-anchor": "middle", "aria-hidden": "true" });
  const box = `${-REACH_MILES} ${-REACH_MILES} ${2 * REACH_MILES} ${2 * REACH_MILES}`;
  const drawing = svg("svg", { viewBox: box }, dots, ownPlace, name);
  const label = "Map of stores around you. Arrow keys move your place.";
  const map = h("div", { class: "map", tabindex: 0, role: "application", "aria-label": label });
  const position = h("p", { class: "hint", role: "status" });
  map.append(drawing);

  function moveTo(toX: number, toY: number): void {
    [x, y] = [toX, toY].map((miles) => Math.max(-REACH_MILES, Math.min(REACH_MILES, miles))) as [number, number];
    ownPlace.setAttribute("transform", `translate(${x} ${y})`);
    const { latitude, longitude } = place();
    position.textContent = `You are at ${latitude.toFixed(2)}°, ${longitude.toFixed(2)}°. Drag the pin or use the arrow keys.`;
  }

  function place(): Place {
    return { latitude: centre.latitude - y / MILES_A_DEGREE, longitude: centre.longitude + x / milesEast() };
  }

  function milesEast(): number {
    return MILES_A_DEGREE * Math.cos((centre.latitude * Math.PI) / 180);
  }

  pin.addEventListener("pointerdown", ({ pointerId }) => pin.setPointerCapture(pointerId));
  pin.addEventListener("lostpointercapture", () => onMove(place()));
  pin.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (!pin.hasPointerCapture(pointerId)) return;
    const { left, top, width } = drawing.getBoundingClientRect();
    const miles = (pixels: number) => (pixels / width) * 2 * REACH_MILES - REACH_MILES;
    moveTo(miles(clientX - left), miles(clientY - top));
  });
  map.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moveTo(x + step[0], y + step[1]);
    onMove(place());
  });

  /** A dot that says which store it is while a pointer is over it, or once it is touched or focused. */
  function drawStore({ latitude, longitude, address_line_1, city }: SearchStore): SVGElement {
    const [cx, cy] = [(longitude - centre.longitude) * milesEast(), (centre.latitude - latitude) * MILES_A_DEGREE];
    const label = `${address_line_1}, ${city}`;
    const tell = () => {
      name.setAttribute("x", String(Math.max(-NAME_REACH_MILES, Math.min(NAME_REACH_MILES, cx))));
      name.setAttribute("y", String(cy < 0 ? cy + 2.3 : cy - 1.5));
      name.textContent = label;
    };
    const hush = () => name.replaceChildren();
    const listeners = { pointerenter: tell, pointerdown: tell, focus: tell, pointerleave: hush, blur: hush };
    return svg(
      "g",
      { class: "store", tabindex: 0, role: "img", "aria-label": label, ...listeners },
      svg("circle", { class: "reach", cx, cy, r: 1.1 }),
      svg("circle", { class: "dot", cx, cy, r: 0.5 }),
      svg("circle", { class: "ring", cx, cy, r: 0.9 }),
    );
  }

  function show(around: Place, stores: readonly SearchStore[]): void {
    const isElsewhere = around !== centre;
    centre = around;
    if (isElsewhere) moveTo(0, 0);
    name.replaceChildren();
    dots.replaceChildren(...stores.map(drawStore));
  }

  return { element: h("div", {}, map, position), show };
}
