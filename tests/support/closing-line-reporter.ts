// Ends every test run with one plain line, `N passed, N failed`, that a person or a script can read.

import type { Reporter, TestModule, TestRunEndReason, TestSuite } from 'vitest/node';

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Counts tests, and as failures also suites and files that broke outside a test, and errors nobody caught. */
export function tallyRun(
  modules: readonly Pick<TestModule, 'children' | 'errors'>[],
  unhandledErrorCount: number,
  reason: TestRunEndReason,
): Tally {
  const tally: Tally = { passed: 0, failed: unhandledErrorCount, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0) tally.failed += 1;
    for (const suite of module.children.allSuites()) if (isBroken(suite)) tally.failed += 1;
    for (const test of module.children.allTests()) {
      const state = test.result().state;
      if (state === 'passed' || state === 'failed') tally[state] += 1;
      else tally.skipped += 1;
    }
  }
  // A run that did not pass must never close with "0 failed": no files found, or interrupted.
  if (reason !== 'passed' && tally.failed === 0) tally.failed = 1;
  return tally;
}

function isBroken(suite: TestSuite): boolean {
  return suite.errors().length > 0;
}

export function closingLine(tally: Tally): string {
  const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
  return `${tally.passed} passed, ${tally.failed} failed${skipped}`;
}

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[], reason: TestRunEndReason): void {
    const line = closingLine(tallyRun(modules, unhandledErrors.length, reason));
    // Written when the process ends, so that nothing another reporter prints comes after it.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
