// A deployed strategy in a process of its own, killed with kill -9 where one says; its signals beside those of one that lives on.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../deployments/run-strategy.ts', import.meta.url));

export interface Place {
  readonly bar: number;
  /** How far the bar has come. */
  readonly move: number;
}

/** Lives until it is done, or until it comes to a place at which it is killed. */
export async function liveUntil(
  folder: string,
  bars: number,
  isEnd: (place: Place) => boolean,
): Promise<'killed' | 'done'> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, folder, String(bars)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  killAt(child, isEnd);
  const [code] = await ended;
  if (code !== null && code !== 0) throw new Error(`it ended with ${code}`);
  return code === 0 ? 'done' : 'killed';
}

function killAt(child: ChildProcess, isEnd: (place: Place) => boolean): void {
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const [word, bar, move] = line.split(' ');
    if (word === 'at' && isEnd({ bar: Number(bar), move: Number(move) })) child.kill('SIGKILL');
  });
}

/** Each signal once, in the order of its first sending, and what differs between two sendings under one id. */
export function signalsOf(folder: string): {
  readonly signals: ReadonlyMap<string, string>;
  readonly faults: string[];
} {
  const lines = readFileSync(join(folder, 'signals'), 'utf8').trim().split('\n');
  const signals = new Map<string, string>();
  const faults: string[] = [];
  for (const line of lines) {
    const [id, ...what] = JSON.parse(line) as [string, ...unknown[]];
    const said = JSON.stringify(what);
    const before = signals.get(id) ?? said;
    if (before !== said) faults.push(`${id} was sent as ${before} and as ${said}`);
    signals.set(id, before);
  }
  return { signals, faults };
}
