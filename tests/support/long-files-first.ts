// The order of the test files: those that take longest first, so that no worker is left alone with one of them at the end.
//
// Vitest does so by itself once it has seen a run; in a fresh clone it goes by the size of a file, which says little here.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take most, the longest first: twenty seconds of a core and more, or as long of waiting. */
const LONG_FILES = [
  'tests/durability/disk-faults.test.ts',
  'tests/durability/nothing-lost.test.ts',
  'tests/bench.test.ts',
  'tests/query/limits.test.ts',
  'tests/browser/docs-page.test.ts',
  'tests/durability/script-stores.test.ts',
  'src/trading/execution/crash.disk.test.ts',
  'tests/protection/waiting-entries.test.ts',
  'tests/durability/owner-kills.test.ts',
  'tests/durability/failures.test.ts',
  'tests/deployments/revoked-keys.test.ts',
  'tests/wallet/killed.test.ts',
  'tests/durability/missing-files.test.ts',
  'tests/processes/script-process.test.ts',
  'tests/deployments/killed-trades.test.ts',
  'tests/mail/process.test.ts',
  'tests/durability/full-disk.test.ts',
  'tests/keys/running.test.ts',
  'tests/cli/stopped.test.ts',
  'tests/pine/fuzz.test.ts',
  'tests/durability/moved-databases.test.ts',
  'tests/telegram/outcomes.test.ts',
  'tests/telegram/failures.test.ts',
  'tests/pine/built-engine.test.ts',
  'tests/wallet/process.test.ts',
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
