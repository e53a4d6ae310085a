// A second chance is for the few that failed beside others, never for what promises rest on, and it is always told.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../closing-line-reporter.ts';
import { closingWords, secondChances } from './second-chance.ts';

const report = (files: Record<string, number>, others = 0): RunReport => ({
  files: Object.fromEntries(Object.entries(files).map(([name, failed]) => [name, { passed: 2, failed, skipped: 0 }])),
  others,
});

describe('a second chance', () => {
  it('is given to the files of the whole system that failed', () => {
    const run = report({ 'tests/dashboard/a.test.ts': 1, 'tests/agent/b.test.ts': 0, 'src/c.test.ts': 0 });
    expect(secondChances(run)).toEqual(['tests/dashboard/a.test.ts']);
  });

  it.each([
    'src/a.test.ts',
    'src/adapters/storage/sqlite/journal.disk.test.ts',
    'tests/durability/a.test.ts',
    'tests/chaos/a.test.ts',
    'tests/protection/a.test.ts',
    'tests/venues/a.test.ts',
    'tests/webhook/a.test.ts',
    'tests/wallet/a.test.ts',
    'tests/redis/a.test.ts',
    'tests/architecture.test.ts',
  ])('is refused to all where %s failed', (name) => {
    expect(secondChances(report({ 'tests/dashboard/a.test.ts': 1, [name]: 1 }))).toEqual([]);
  });

  it('is refused where an error was caught by nobody, and where more than a few failed', () => {
    expect(secondChances(report({ 'tests/dashboard/a.test.ts': 1 }, 1))).toEqual([]);
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`tests/agent/${index}.test.ts`, 1]));
    expect(secondChances(report(files(8)))).toHaveLength(8);
    expect(secondChances(report(files(9)))).toEqual([]);
  });

  it('is told by name, and the line counts the last word on each file', () => {
    const first = report({ 'tests/agent/a.test.ts': 1, 'tests/agent/b.test.ts': 1, 'src/c.test.ts': 0 });
    const again = report({ 'tests/agent/a.test.ts': 0, 'tests/agent/b.test.ts': 1 });
    expect(closingWords(first, again)).toBe(
      'failed beside others, passed alone: tests/agent/a.test.ts\n6 passed, 1 failed\n',
    );
  });
});

describe('npm test', () => {
  const run = (fails: 'once' | 'always' | 'never') => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-chance-'));
    const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const { stdout, status } = spawnSync(
      process.execPath,
      [here('./run-tests.ts'), `--config=${here('./fixture/vitest.config.ts')}`],
      { env: { ...process.env, CHANCE_FAILS: fails, CHANCE_FOLDER: folder }, encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
    return { status, lines: stdout.trimEnd().split('\n').slice(-2) };
  };

  it('passes where everything passes', () => {
    expect(run('never')).toEqual({ status: 0, lines: [expect.any(String), '2 passed, 0 failed'] });
  });

  it('passes, and says so, where a file passes alone', () => {
    const told = 'failed beside others, passed alone: tests/support/second-chance/fixture/late.example.ts';
    expect(run('once')).toEqual({ status: 0, lines: [told, '2 passed, 0 failed'] });
  });

  it('fails where a file fails again', () => {
    expect(run('always')).toEqual({ status: 1, lines: [expect.any(String), '1 passed, 1 failed'] });
  });
});
