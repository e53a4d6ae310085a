// The order of the test files: those that take longest first, so that no worker is left alone with one of them at the end.
//
// Vitest does so by itself once it has seen a run; in a fresh clone it goes by the size of a file, which says little here.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Those that take half a minute and more, the longest first: two that mostly wait (for a venue, a bar, a disk), then one that works (a
 * browser), so that neither kind is left to run alone.
 */
const LONG_FILES = [
  'tests/venues/flickering-positions.test.ts',
  'tests/bench.test.ts',
  'tests/deployments/first-strategy.test.ts',
  'tests/dashboard/chart.test.ts',
  'tests/venues/reconciliation.test.ts',
  'tests/venues/pitfalls/answers.test.ts',
  'tests/browser/docs-page.test.ts',
  'tests/deployments/bars-of-accounts.test.ts',
  'tests/query/limits.test.ts',
  'tests/dashboard/workbench.test.ts',
  'tests/venues/stops-that-act.test.ts',
  'tests/chaos/rounds.test.ts',
  'tests/chaos/two-processes.test.ts',
  'tests/dashboard/strategy-report.test.ts',
  'tests/venues/paper-twin.test.ts',
  'tests/durability/disk-faults.test.ts',
  'tests/chaos/power-cuts.test.ts',
  'tests/dashboard/alerts.test.ts',
  'tests/processes/script-process.test.ts',
  'tests/venues/order-rate.test.ts',
  'tests/dashboard/speed.test.ts',
  'tests/venues/live-stops.test.ts',
  'tests/protection/waiting-entries.test.ts',
  'tests/dashboard/library.test.ts',
  'tests/venues/pitfalls/outages.test.ts',
  'tests/venues/bans.test.ts',
  'tests/dashboard/overview.test.ts',
  'tests/venues/stops-at-venues.test.ts',
  'tests/cli/kept-position-mode.test.ts',
  'tests/dashboard/editor.test.ts',
  'tests/durability/failures.test.ts',
  'tests/venues/live-guards.test.ts',
  'tests/dashboard/login.test.ts',
  'tests/wallet/killed.test.ts',
  'tests/venues/live-trading.test.ts',
  'tests/dashboard/signals.test.ts',
  'tests/limits/limits.test.ts',
  'tests/mail/process.test.ts',
  'tests/dashboard/ticket.test.ts',
  'tests/durability/missing-files.test.ts',
  'tests/venues/silent-venue.test.ts',
  'tests/dashboard/accounts.test.ts',
  'tests/venues/changed-position-mode.test.ts',
  'tests/durability/upgrade.test.ts',
  'tests/dashboard/wallet.test.ts',
  'tests/deployments/opinion-process.test.ts',
  'tests/durability/script-stores.test.ts',
  'tests/dashboard/notes.test.ts',
  'tests/venues/chaos.test.ts',
  'tests/durability/full-disk.test.ts',
  'tests/dashboard/trades.test.ts',
  'tests/deployments/strategy-week.test.ts',
  'tests/venues/late-exits.test.ts',
  'tests/telegram/outcomes.test.ts',
  'tests/venues/key-rights.test.ts',
  'tests/venues/forgotten-mode.test.ts',
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
