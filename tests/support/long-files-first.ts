// The order of the test files: those that take longest first, so that no worker is left alone with one of them at the end.
//
// Vitest does so by itself once it has seen a run; in a fresh clone it goes by the size of a file, which says little here.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take most, the longest first: twenty seconds and more, of a core or of waiting. */
const LONG_FILES = [
  'tests/durability/disk-faults.test.ts',
  'tests/browser/docs-page.test.ts',
  'tests/durability/nothing-lost.test.ts',
  'tests/protection/waiting-entries.test.ts',
  'tests/query/limits.test.ts',
  'tests/bench.test.ts',
  'tests/processes/script-process.test.ts',
  'tests/wallet/killed.test.ts',
  'tests/telegram/outcomes.test.ts',
  'tests/limits/limits.test.ts',
  'src/wallet/crash.thorough.test.ts',
  'tests/wallet/real-chain.test.ts',
  'tests/chains/endpoints.test.ts',
  'tests/chains/swaps.test.ts',
  'tests/agent/providers.test.ts',
  'tests/browser/charting-client.test.ts',
  'tests/durability/failures.test.ts',
  'tests/telegram/failures.test.ts',
  'tests/deployments/killed-trades.test.ts',
  'src/trading/execution/crash.disk.test.ts',
  'tests/pine/built-engine.test.ts',
  'tests/webhook/catch-up-outcomes.test.ts',
  'src/adapters/storage/sqlite/moved-databases.disk.test.ts',
  'tests/pine/scripts.test.ts',
  'tests/durability/full-disk.test.ts',
  'tests/durability/missing-files.test.ts',
  'tests/durability/owner-kills.test.ts',
  'tests/durability/script-stores.test.ts',
  'tests/deployments/revoked-keys.test.ts',
  'tests/durability/memory.test.ts',
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONG_FILES.findIndex((file) => moduleId.endsWith(file));
  return place < 0 ? LONG_FILES.length : place;
};

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Stable: the others stay as Vitest has them.
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
