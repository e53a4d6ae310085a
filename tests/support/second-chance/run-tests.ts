// `npm test`: every test, and then once more, one after the other, the few files of the whole system that failed beside others.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPORT_AT, type RunReport } from '../closing-line-reporter.ts';
import { closingWords, secondChances, together } from './second-chance.ts';

const NOTHING: RunReport = { files: {}, others: 0 };
/** It ended without a word. */
const BROKEN: RunReport = { files: {}, others: 1 };

const folder = mkdtempSync(join(tmpdir(), 'signalbox-report-'));

function run(args: readonly string[]): RunReport {
  const path = join(folder, 'report.json');
  rmSync(path, { force: true });
  const vitest = new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
  const env = { ...process.env, [REPORT_AT]: path };
  spawnSync(process.execPath, [vitest, 'run', ...args], { stdio: 'inherit', env });
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RunReport) : BROKEN;
}

const given = process.argv.slice(2);
const first = run(given);
const files = secondChances(first);
const options = given.filter((word) => word.startsWith('-'));
const again = files.length > 0 ? run([...options, '--no-file-parallelism', ...files]) : NOTHING;
rmSync(folder, { recursive: true });
process.stdout.write(closingWords(first, again));
const { files: all, others } = together(first, again);
process.exitCode = others > 0 || Object.values(all).some(({ failed }) => failed > 0) ? 1 : 0;
