// The closing line counts what a person would count, and never says "0 failed" about a run that failed.

import { describe, expect, it } from 'vitest';
import { closingLine, reportOf } from './closing-line-reporter.ts';

type Modules = Parameters<typeof reportOf>[0];

/** Modules with just the parts the reporter looks at. */
function modules(...given: { tests?: string[]; brokenSuites?: number; broken?: boolean; file?: string }[]): Modules {
  const made = given.map(({ tests = [], brokenSuites = 0, broken = false, file }, index) => ({
    moduleId: `/p/${file ?? `${index}.test.ts`}`,
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
    expect(closingLine(reportOf(run, 0, 'failed'))).toBe('3 passed, 1 failed');
  });

  it('counts a file in each project that runs it', () => {
    const run = modules({ tests: ['passed'], file: 'a' }, { tests: ['passed', 'failed'], file: 'a' });
    expect(reportOf(run, 0, 'failed', '/p').files).toEqual({ a: { passed: 2, failed: 1, skipped: 0 } });
  });

  it('mentions skipped tests only when there are some', () => {
    expect(closingLine(reportOf(modules({ tests: ['passed', 'skipped', 'pending'] }), 0, 'passed'))).toBe(
      '1 passed, 0 failed, 2 skipped',
    );
  });

  it('counts broken files, broken suites and errors nobody caught as failures', () => {
    const run = modules({ tests: ['passed'], brokenSuites: 2 }, { broken: true });
    expect(closingLine(reportOf(run, 3, 'failed'))).toBe('1 passed, 6 failed');
  });

  it.each(['failed', 'interrupted'] as const)('never says 0 failed about a run that %s', (reason) => {
    expect(closingLine(reportOf([], 0, reason))).toBe('0 passed, 1 failed');
  });
});
