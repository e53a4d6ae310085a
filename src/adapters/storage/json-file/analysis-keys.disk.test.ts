// A process that is killed again and again while it counts calls: each time the keys reopen whole, and no promised call is lost.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import type { AnalysisKeyStore } from '../../../keys/analysis-key-store.ts';
import { openAnalysisKeys as openOnSqlite } from '../sqlite/analysis-keys.ts';
import { openAnalysisKeys as openInFile } from './analysis-keys.ts';

const COUNTER = fileURLToPath(new URL('./testing/count-forever.ts', import.meta.url));
const KILLS = 15;
/** As many as the child has under way at once: those may be stored without having been promised. */
const UNDER_WAY = 8;
const OTHERS = 300;

const open = async (kind: string, path: string): Promise<AnalysisKeyStore> =>
  kind === 'sqlite' ? openOnSqlite({ path }) : openInFile({ path, nowMs: Date.now });

/** Lets it count for a while after its first promise, kills it, and returns how many calls it had promised. */
async function countAndKill(kind: string, path: string, keyHash: string, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COUNTER, kind, path, keyHash], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let promised = 0;
  child.stdout.on('data', (dots: Buffer) => {
    promised += dots.length;
  });
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await closed;
  return promised;
}

test.each(['json', 'sqlite'])('%s: no promised call is lost by kill -9, and no key is harmed', async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-kill-'));
  const path = join(folder, `api_keys.${kind}`);
  const key = sampleKey(0);
  const others = Array.from({ length: OTHERS }, (_, at) => sampleKey(at + 1));
  const first = await open(kind, path);
  await Promise.all([key, ...others].map((each) => first.add(each)));
  await first.close();

  let before = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const promised = await countAndKill(kind, path, key.keyHash, (kill * 7) % 40);
    expect(promised).toBeGreaterThan(0);
    const store = await open(kind, path);
    const used = (await store.find(key.keyHash))?.callsUsed ?? 0;
    expect(used - before).toBeGreaterThanOrEqual(promised);
    expect(used - before).toBeLessThanOrEqual(promised + UNDER_WAY);
    expect((await store.list(1000)).slice(1)).toEqual(others);
    expect(existsSync(join(folder, '.api_keys.json.tmp'))).toBe(false);
    before = used;
    await store.close();
  }
  rmSync(folder, { recursive: true });
});
