// Builds the engine: its sources become one file, and what V8 makes of the functions that usual scripts need is kept beside it.

import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { rolldown } from 'rolldown';
import {
  BUILD_FOLDER,
  type BuildList,
  type Engine,
  engineScript,
  openEngine,
} from '../src/adapters/scripts/built-engine.ts';
import { PROJECT, stampOf } from '../src/builds/source-stamps.ts';

/** Scripts as people write them: whatever these need is translated ahead. */
const EXAMPLES = 'examples/pine/*.pine';
const BARS = 300;
const HOUR_MS = 3_600_000;

export async function buildEngine(folder: URL = BUILD_FOLDER): Promise<void> {
  const { source, modules } = await bundled();
  const script = engineScript(source, folder);
  useOnce(openEngine(script));
  const sources = modules.map((file) => stampOf(relative(PROJECT, file).replaceAll('\\', '/')));
  const code = script.createCachedData();
  mkdirSync(folder, { recursive: true });
  // The list goes last: without it nothing of this is used.
  write(new URL('engine.js', folder), source);
  write(new URL('engine.code', folder), code);
  write(
    new URL('engine.json', folder),
    JSON.stringify({
      engineSum: crc32(source),
      codeSum: crc32(code),
      processor: process.arch,
      sources,
    } satisfies BuildList),
  );
}

async function bundled(): Promise<{ source: string; modules: readonly string[] }> {
  const build = await rolldown({
    input: fileURLToPath(new URL('../src/adapters/scripts/engine.ts', import.meta.url)),
    platform: 'node',
    // Machine code comes with its package, one for each kind of machine, and is found there when it is needed.
    external: ['@napi-rs/canvas'],
  });
  const { output } = await build.generate({ format: 'cjs', codeSplitting: false });
  await build.close();
  const [{ code, moduleIds }] = output;
  return {
    source: `(function (exports, require, __filename) {${inAscii(code)}\n})`,
    modules: moduleIds.filter((id) => id.startsWith(PROJECT)),
  };
}

/** V8 keeps text of single bytes as it is; strings and expressions mean the same with their other letters escaped. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Functions are translated when they are called first, and stay so in what is kept. */
function useOnce({ barColumns, createJobRunner }: Engine): void {
  const answer = createJobRunner('service');
  const bars = barColumns(Array.from({ length: BARS }, (_, i) => barAt(i)));
  for (const path of globSync(EXAMPLES, { cwd: PROJECT }).sort()) {
    const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    const outcome = answer({ kind: 'evaluate', source: text, bars, runId: 'build' });
    if (outcome.kind !== 'answer') throw new Error(`${path} does not run: ${JSON.stringify(outcome)}`);
  }
}

/** Prices that go up and down, so that crossings, pivots and breaks happen. */
function barAt(i: number) {
  const close = 100 + 8 * Math.sin(i / 7) + 3 * Math.sin(i / 2.3) + i / 50;
  const open = 100 + 8 * Math.sin((i - 1) / 7) + 3 * Math.sin((i - 1) / 2.3) + (i - 1) / 50;
  const high = Math.max(open, close) + 1;
  return { time: i * HOUR_MS, open, high, low: Math.min(open, close) - 1, close, volume: 10 + (i % 9) };
}

/** Nobody sees half a file. */
function write(file: URL, content: string | Buffer): void {
  const draft = new URL(`${file.href}.${process.pid}`);
  writeFileSync(draft, content);
  renameSync(draft, file);
}
