// The closing line counts what a person would count, and never says "0 failed" about a run that failed.

import { describe, expect, it } from 'vitest';
import { closingLine, tallyRun } from './closing-line-reporter.ts';

type Modules = Parameters<typeof tallyRun>[0];

/** Modules with just the parts the reporter looks at. */
function modules(...given: { tests?: string[]; brokenSuites?: number; broken?: boolean }[]): Modules {
  const made = given.map(({ tests = [], brokenSuites = 0, broken = false }) => ({
    errors: () => (broken ? [{ message: 'x' }] : []),
    children: {
      allTests: () => tests.map((state) => ({ result: () => ({ state }) })),
      allSuites: () => [{ errors: () => [] }, ...Array(brokenSuites).fill({ errors: () => [{ message: 'x' }] })],
    },
  }));
  return made as unknown as Modules;
}

describe('the closing line', () => {
  it('counts tests over all files', () => {
    const run = modules({ tests: ['passed', 'passed'] }, { tests: ['passed', 'failed'] });
    expect(closingLine(tallyRun(run, 0, 'failed'))).toBe('3 passed, 1 failed');
  });

  it('mentions skipped tests only when there are some', () => {
    expect(closingLine(tallyRun(modules({ tests: ['passed', 'skipped', 'pending'] }), 0, 'passed'))).toBe(
      '1 passed, 0 failed, 2 skipped',
    );
  });

  it('counts broken files, broken suites and errors nobody caught as failures', () => {
    const run = modules({ tests: ['passed'], brokenSuites: 2 }, { broken: true });
    expect(closingLine(tallyRun(run, 3, 'failed'))).toBe('1 passed, 6 failed');
  });

  it.each(['failed', 'interrupted'] as const)('never says 0 failed about a run that %s', (reason) => {
    expect(closingLine(tallyRun([], 0, reason))).toBe('0 passed, 1 failed');
  });
});
