import type { World } from "../world.ts";

// The largest cache holds 64 values; what the modules hold for good was put there while they were loaded.
const ENTRIES_AT_MOST = 80;

/** No map of an isolate's modules grows beyond its bound. */
export function checkMemory(world: World): void {
  for (const { maps } of world.isolates) {
    for (const [map, loadedSize] of maps) {
      const grown = map.size - loadedSize;
      if (grown > ENTRIES_AT_MOST)
        world.fail("memory stays within bounds", `a map has grown by ${grown}: ${[...map.keys()].slice(0, 3)}`);
    }
  }
}
