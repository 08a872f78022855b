/** Mean radius of the earth (docs/contract/interface.md, 4.1). */
export const EARTH_RADIUS_MILES = 3958.7613;

export interface Position {
  /** Degrees, -90 to 90. */
  latitude: number;
  /** Degrees, -180 to 180. */
  longitude: number;
}

/** Degrees; `west` is never greater than `east`. */
interface BoundingBox {
  south: number;
  north: number;
  west: number;
  east: number;
}

// A box must never miss a store that is near enough. A slightly larger box costs a row or two.
const MARGIN_DEGREES = 1e-6;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
const toDegrees = (radians: number): number => (radians * 180) / Math.PI;

/**
 * The boxes that hold every point within `radiusMiles` of `center`: one, or two of the same latitudes where the 180th
 * meridian cuts the circle. A circle that holds a pole reaches over all longitudes.
 */
export function boundingBoxes(center: Position, radiusMiles: number): [BoundingBox, BoundingBox?] {
  const angle = radiusMiles / EARTH_RADIUS_MILES;
  const south = center.latitude - toDegrees(angle) - MARGIN_DEGREES;
  const north = center.latitude + toDegrees(angle) + MARGIN_DEGREES;
  if (south <= -90 || north >= 90) return [{ south, north, west: -180, east: 180 }];

  // The circle is widest not at its centre's latitude, but a little nearer to the pole.
  const halfWidth = toDegrees(Math.asin(Math.sin(angle) / Math.cos(toRadians(center.latitude)))) + MARGIN_DEGREES;
  const west = center.longitude - halfWidth;
  const east = center.longitude + halfWidth;
  if (halfWidth >= 180) return [{ south, north, west: -180, east: 180 }];
  if (west < -180) return [box(-180, east), box(west + 360, 180)];
  if (east > 180) return [box(west, 180), box(-180, east - 360)];
  return [box(west, east)];

  function box(west: number, east: number): BoundingBox {
    return { south, north, west, east };
  }
}
