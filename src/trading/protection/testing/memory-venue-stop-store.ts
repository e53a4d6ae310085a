// Stops at venues in memory: a write is there at once, and can be made to fail.

import type { StoredStop, VenueStopStore } from '../venue-stop-store.ts';

export interface MemoryVenueStopStore extends VenueStopStore {
  /** While set, every write fails. */
  failing: boolean;
}

export function memoryVenueStopStore(): MemoryVenueStopStore {
  const stops = new Map<string, StoredStop>();
  const write = async (change: () => void): Promise<void> => {
    if (store.failing) throw new Error('disk full');
    change();
  };
  const store: MemoryVenueStopStore = {
    failing: false,
    load: async () => [...stops.values()],
    add: (stop) => write(() => void stops.set(stop.clientStopId, stop)),
    remove: (id) => write(() => void stops.delete(id)),
  };
  return store;
}
