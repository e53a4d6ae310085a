// A deployed strategy whose process is killed again and again with kill -9: its signals are those of the one that lives on.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { liveThrough } from './run-strategy.ts';

const PROGRAM = fileURLToPath(new URL('./run-strategy.ts', import.meta.url));
/** Three days of quarters of an hour. */
const BARS = 288;

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-strategy-'));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Each signal once, in the order of its first sending. */
function signalsOf(folder: string): Map<string, string> {
  const lines = readFileSync(join(folder, 'signals'), 'utf8').trim().split('\n');
  const signals = new Map<string, string>();
  for (const line of lines) {
    const [id, ...what] = JSON.parse(line);
    const said = JSON.stringify(what);
    expect(signals.get(id) ?? said).toBe(said);
    signals.set(id, said);
  }
  return signals;
}

/** How it ended: killed, or by itself. */
async function runFor(folder: string, ms: number): Promise<'killed' | 'done'> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, folder, String(BARS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await Promise.race([ended, sleep(ms)]);
  child.kill('SIGKILL');
  const [code] = await ended;
  if (code !== null && code !== 0) throw new Error(`it ended with ${code}`);
  return code === 0 ? 'done' : 'killed';
}

it('every signal is sent, with the same id and words, and none beside them', async () => {
  const whole = freshFolder();
  await liveThrough(whole, BARS);
  const broken = freshFolder();
  let kills = 0;
  // Each life is a little longer than the one before, so that it comes to an end on any machine.
  while ((await runFor(broken, 150 + kills * 25)) === 'killed') kills += 1;
  expect(kills).toBeGreaterThan(2);
  expect(signalsOf(whole).size).toBeGreaterThan(20);
  expect([...signalsOf(broken)]).toEqual([...signalsOf(whole)]);
}, 240_000);
