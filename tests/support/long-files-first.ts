// The order of the test files: those that take longest first, so that no worker is left alone with one of them at the end.
//
// Vitest does so by itself once it has seen a run; in a fresh clone it goes by the size of a file, which says little here.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** More than 20 seconds on two cores, the longest first. */
const LONG_FILES = [
  'tests/durability/nothing-lost.test.ts',
  'tests/durability/disk-faults.test.ts',
  'tests/bench.test.ts',
  'tests/durability/failures.test.ts',
  'tests/mail/process.test.ts',
  'tests/durability/missing-files.test.ts',
  'tests/cli/running.test.ts',
  'tests/cli/stopped.test.ts',
  'tests/pine/fuzz.test.ts',
  'tests/query/limits.test.ts',
  'tests/wallet/killed.test.ts',
  'tests/telegram/outcomes.test.ts',
  'tests/gateway/start-fails.test.ts',
  'tests/telegram/failures.test.ts',
  'tests/deployments/revoked-keys.test.ts',
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
