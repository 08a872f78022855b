/** Mean radius of the earth (docs/contract/interface.md, 4.1). */
export const EARTH_RADIUS_MILES = 3958.7613;

export interface Position {
  /** Degrees, -90 to 90. */
  latitude: number;
  /** Degrees, -180 to 180. */
  longitude: number;
}

// The box must never miss a store that is near enough. A slightly larger box costs a row or two.
const MARGIN_DEGREES = 1e-6;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
const toDegrees = (radians: number): number => (radians * 180) / Math.PI;

/**
 * The box that holds every point within `radiusMiles` of `center`, in degrees. `west` is greater than `east` where the
 * 180th meridian cuts it. A circle that holds a pole reaches over all longitudes.
 */
export function boundingBox({ latitude, longitude }: Position, radiusMiles: number) {
  const angle = radiusMiles / EARTH_RADIUS_MILES;
  const south = latitude - toDegrees(angle) - MARGIN_DEGREES;
  const north = latitude + toDegrees(angle) + MARGIN_DEGREES;
  // The circle is widest not at its centre's latitude, but a little nearer to the pole.
  const halfWidth = toDegrees(Math.asin(Math.sin(angle) / Math.cos(toRadians(latitude)))) + MARGIN_DEGREES;
  if (south <= -90 || north >= 90 || halfWidth >= 180) return { south, north, west: -180, east: 180 };
  const [west, east] = [longitude - halfWidth, longitude + halfWidth];
  return { south, north, west: west < -180 ? west + 360 : west, east: east > 180 ? east - 360 : east };
}
