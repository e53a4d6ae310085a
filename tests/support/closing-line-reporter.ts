// Ends every test run with one plain line, `N passed, N failed`, that a person or a script can read.

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason, TestSuite } from 'vitest/node';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface RunReport {
  readonly files: Readonly<Record<string, Tally>>;
  /** Errors that nobody caught belong to no file; and a run that did not pass never closes with "0 failed". */
  readonly others: number;
}

/** Where a run writes its report instead of the line: whoever started it says it then. */
export const REPORT_AT = 'SIGNALBOX_TEST_REPORT';

type Module = Pick<TestModule, 'children' | 'errors' | 'moduleId'>;

/** Counts tests, and as failures also suites and files that broke outside a test, and errors nobody caught. */
export function reportOf(
  modules: readonly Module[],
  unhandledErrorCount: number,
  reason: TestRunEndReason,
  root = process.cwd(),
): RunReport {
  const files: Record<string, Tally> = {};
  for (const module of modules) {
    const name = relative(root, module.moduleId);
    files[name] = sumOf([tallyOf(module), ...(files[name] ? [files[name]] : [])]);
  }
  const isSilent = unhandledErrorCount + sumOf(Object.values(files)).failed === 0;
  // No files found, or interrupted.
  return { files, others: reason !== 'passed' && isSilent ? 1 : unhandledErrorCount };
}

function tallyOf(module: Module): Tally {
  const { children } = module;
  const states = [...children.allTests()].map((test) => test.result().state);
  const [passed, failed] = ['passed', 'failed'].map((state) => states.filter((each) => each === state).length);
  const broken = (module.errors().length > 0 ? 1 : 0) + [...children.allSuites()].filter(isBroken).length;
  const done = (passed as number) + (failed as number);
  return { passed: passed as number, failed: (failed as number) + broken, skipped: states.length - done };
}

const isBroken = (suite: TestSuite): boolean => suite.errors().length > 0;

export const sumOf = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

export function closingLine({ files, others }: RunReport): string {
  const { passed, failed, skipped } = sumOf(Object.values(files));
  return `${passed} passed, ${failed + others} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[], reason: TestRunEndReason): void {
    const report = reportOf(modules, unhandledErrors.length, reason);
    const path = process.env[REPORT_AT];
    if (path !== undefined) writeFileSync(path, JSON.stringify(report));
    // Written when the process ends, so that nothing another reporter prints comes after it.
    else process.once('exit', () => process.stdout.write(`${closingLine(report)}\n`));
  }
}
