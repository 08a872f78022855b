/** How a measurement shows how far it is. */
export const BAR = {
  format: "{what} {bar} {percentage} % · {eta_formatted}",
  barsize: 30,
  noTTYOutput: true,
  notTTYSchedule: 10_000,
};
