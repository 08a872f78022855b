/** Where most stores of the world are: boxes of degrees, from south to north and from west to east. */
const INHABITED: readonly (readonly [south: number, north: number, west: number, east: number])[] = [
  [14, 62, -130, -52], // North America
  [17, 72, -170, -130], // Alaska, Hawaii
  [-56, 28, -92, -34], // Central and South America
  [35, 72, -25, 60], // Europe, western Asia
  [-35, 37, -26, 42], // Africa
  [-27, -11, 42, 58], // Madagascar, Mauritius
  [20, 40, 42, 62], // the Gulf, Iran
  [5, 56, 60, 150], // Asia
  [-48, 20, 94, 180], // South-East Asia, Australia, New Zealand
  [-24, -8, -180, -148], // Polynesia
  [42, 72, 60, 180], // Siberia
];

const isInhabited = (latitude: number, longitude: number) =>
  INHABITED.some(
    ([south, north, west, east]) => south <= latitude && latitude <= north && west <= longitude && longitude <= east,
  );

/** Whether a position is likely with latitude and longitude swapped, and unlikely as it is. */
export function looksSwapped(latitude: number, longitude: number): boolean {
  return !isInhabited(latitude, longitude) && isInhabited(longitude, latitude);
}
