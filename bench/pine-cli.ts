// `signalbox run` as a user waits for it, from the start of the process to its end: RSI, MACD and Bollinger bands over
// CSV files of 1,000 to 500,000 bars, times in seconds and in ISO 8601, to each form of output. Beside it a bare process
// of Node that reads the same file and writes it out again. `npm run bench pine-cli -- [--quick]`.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pineChart } from './support/pine-chart.ts';

const quick = process.argv.includes('--quick');
const SIZES = quick ? [1000] : [1000, 10_000, 100_000, 500_000];
/** The fastest of them counts: whatever else the machine does only makes it slower. */
const ROUNDS = quick ? 1 : 7;
const TARGET_SMALL_MS = 200;
const TARGET_LARGE_MS = 1500;
const MODES = ['--csv', '--json', 'summary'] as const;
const STYLES = ['seconds', 'iso'] as const;

const LAUNCHER = fileURLToPath(new URL('../bin/signalbox.mjs', import.meta.url));
const SCRIPT = fileURLToPath(new URL('./pine-scripts/b.pine', import.meta.url));
const COPY = 'process.stdout.write(require("node:fs").readFileSync(process.argv[1]))';

/** As a chart exports it: prices of two decimals, and with ISO times columns of other indicators besides. */
function csvOf(bars: number, style: (typeof STYLES)[number]): string {
  const { time, open, high, low, close, volume } = pineChart(bars);
  const isIso = style === 'iso';
  const rows = [`time,open,high,low,close,${isIso ? 'EMA,Upper band,Lower band,' : ''}Volume`];
  for (let i = 0; i < bars; i += 1) {
    const prices = [open, high, low, close].map((column) => column[i]!.toFixed(2));
    const at = new Date(time[i]!).toISOString().replace('.000Z', 'Z');
    const others = isIso ? [close[i]! * 0.999, close[i]! * 1.01, close[i]! * 0.99] : [];
    rows.push([isIso ? at : time[i]! / 1000, ...prices, ...others, volume[i]!.toFixed(5)].join());
  }
  return `${rows.join('\n')}\n`;
}

function measureMs(words: readonly string[], output: string): number {
  const file = openSync(output, 'w');
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
    stdio: ['ignore', file, 'pipe'],
  });
  const elapsedMs = performance.now() - startedMs;
  closeSync(file);
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  return elapsedMs;
}

/** In turns, so that a bad moment of the machine hits them all. */
function fastestMs(commands: readonly (readonly string[])[], output: string): number[] {
  const best = commands.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1)
    commands.forEach((words, i) => {
      best[i] = Math.min(best[i]!, measureMs(words, output));
    });
  return best;
}

const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const missed: string[] = [];
try {
  for (const style of STYLES)
    for (const size of SIZES) {
      const bars = join(folder, 'bars.csv');
      writeFileSync(bars, csvOf(size, style));
      const run = ['run', SCRIPT, '--bars', bars];
      const commands = MODES.map((mode) => [LAUNCHER, ...run, ...(mode === 'summary' ? [] : [mode])]);
      const [bareMs = 0, ...times] = fastestMs([['-e', COPY, bars], ...commands], join(folder, 'out'));
      const shown = times.map((ms, i) => `${MODES[i]} ${ms.toFixed(0)} ms (${(ms / bareMs).toFixed(1)}×)`);
      console.log(`${size} bars, ${style}: ${shown.join(', ')}, bare copy ${bareMs.toFixed(0)} ms`);
      const [csvMs = 0] = times;
      if (size <= 1000 && csvMs > TARGET_SMALL_MS) missed.push(`${size} bars not below ${TARGET_SMALL_MS} ms`);
      if (size >= 500_000 && csvMs > TARGET_LARGE_MS) missed.push(`${size} bars not below ${TARGET_LARGE_MS} ms`);
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(missed.length === 0 ? 'reached' : `missed: ${missed.join('; ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
