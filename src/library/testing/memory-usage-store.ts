// A usage store in memory, for tests: it keeps the promises of the port, but for surviving the process.

import { StorageError } from '../../errors/storage-error.ts';
import { type Usage, type UsageStore, usageSum } from '../usage.ts';

export function memoryUsageStore(): UsageStore {
  const stored = new Map<string, Usage>();
  return {
    async usage(userId) {
      return stored.get(userId);
    },
    async addUsage(added) {
      const times = [...added.values()].flatMap(({ firstUsedAtMs, lastUsedAtMs }) => [firstUsedAtMs, lastUsedAtMs]);
      if (!times.every(Number.isSafeInteger)) throw new StorageError('a time is no whole number');
      for (const [userId, usage] of added) stored.set(userId, usageSum(usage, stored.get(userId)));
    },
  };
}
