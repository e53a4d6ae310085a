// Makes the data folder of a new instance with its databases, as a first start does, for a command that brings the first thing in.

import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { closeOwner, openOwner, openTradingData } from './storage.ts';
import type { WhereRowsAre } from './where-rows-are.ts';

export async function makeDataFolder(place: WhereRowsAre): Promise<void> {
  const lock = lockDataDir(place.dataDir);
  try {
    await closeOwner(await openOwner(place));
    await (await openTradingData(place, { onDeath: () => {} })).close();
  } finally {
    lock.release();
  }
}
