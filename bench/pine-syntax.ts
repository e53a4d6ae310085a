// How long it takes to read a Pine script of 300 lines and more, warm, and one of the largest size; `npm run bench pine-syntax`.

import { readFileSync } from 'node:fs';
import { format, MAX_SOURCE_LENGTH, parse } from '../src/pine/syntax/index.ts';

const TARGET_MS = 5;
const LINES = 300;
const ROUNDS = 300;
const WARM_UP = 100;

const sample = readFileSync(new URL('../tests/pine/syntax/everything.pine', import.meta.url), 'utf8');
/** Whole copies of a script that uses every construct, until there are enough lines. */
const script = sample.repeat(Math.ceil(LINES / sample.split('\n').length));
const lineCount = script.split('\n').length - 1;

/** Milliseconds of the middle and of the slowest hundredth of all rounds. */
function measure(work: () => void, rounds: number, warmUp: number): { medianMs: number; p99Ms: number } {
  for (let round = 0; round < warmUp; round++) work();
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  }).sort((a, b) => a - b);
  return { medianMs: times[rounds >> 1]!, p99Ms: times[Math.floor(rounds * 0.99)]! };
}

function report(what: string, work: () => void, rounds = ROUNDS, warmUp = WARM_UP): number {
  const { medianMs, p99Ms } = measure(work, rounds, warmUp);
  console.log(`${what.padEnd(32)} median ${medianMs.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms`);
  return medianMs;
}

if (parse(script).diagnostics.length > 0) throw new Error('the script of the benchmark has mistakes');
const medianMs = report(`parse ${lineCount} lines`, () => parse(script));
report(`format ${lineCount} lines`, () => format(script));
const largest = script.repeat(Math.floor(MAX_SOURCE_LENGTH / script.length));
report(`parse ${(largest.length / 1024).toFixed(0)} KiB`, () => parse(largest), 5, 1);

console.log(medianMs < TARGET_MS ? `reached: below ${TARGET_MS} ms` : `missed: not below ${TARGET_MS} ms`);
process.exitCode = medianMs < TARGET_MS ? 0 : 1;
