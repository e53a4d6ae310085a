// A process that shares its database with others and stands by, and how long it takes until one of them trades again.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { closeAtEnd } from './close-at-end.ts';
import { timed } from './lived-time.ts';
import { freshDataDir, spawnSignalbox } from './process.ts';

export const INTERNAL_TOKEN = 't'.repeat(32);
export const STANDBY_KEY = `whk_${'k'.repeat(43)}`;
/** What docs/guides/several-machines.md promises. */
export const TAKE_OVER_MS = 10_000;
/** On a machine that has other things to do a process may take far longer to start. */
const STARTS_WITHIN_MS = 60_000;
const BETWEEN_TRIES_MS = 50;

export interface Standby {
  readonly url: string;
  readonly dataDir: string;
  readonly child: ChildProcess;
  readonly output: () => string;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

/** Resolves when it has said that it stands by. */
export async function startStandby(env: Readonly<Record<string, string>>, program?: string): Promise<Standby> {
  const dataDir = freshDataDir();
  const settings = { SERVICES: 'gateway', ...env, DATA_DIR: dataDir };
  const child = spawnSignalbox(['start'], settings, undefined, 'pipe', 'ignore', 'pipe', program);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const gone = once(child, 'exit');
  closeAtEnd(async () => child.kill('SIGKILL'));
  await expect.poll(() => text, { timeout: STARTS_WITHIN_MS }).toMatch(/stands by at http/);
  const url = /stands by at (http:\S+):/.exec(text)?.[1] ?? '';
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    await gone;
    return child.exitCode;
  };
  return {
    ...{ url, dataDir, child },
    output: () => text,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

/** The status of its answer. */
export async function post(url: string, alertId: string, fields: object = {}): Promise<number> {
  const paper = { exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.1 };
  const signal = { apiKey: STANDBY_KEY, ...paper, alertId, ...fields };
  const answer = await fetch(`${url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  await answer.arrayBuffer();
  return answer.status;
}

/** How long it takes until a signal is traded there, as this machine lived it; the signal is sent until it is. */
export async function livedUntilTraded(url: string, alertId: string, fields: object = {}): Promise<number> {
  const { livedMs } = await timed(async () => {
    for (;;) {
      const status = await post(url, alertId, fields).catch(() => 0);
      // 409: one whose answer was lost was taken.
      if (status === 200 || status === 202 || status === 409) return;
      await sleep(BETWEEN_TRIES_MS);
    }
  });
  return livedMs;
}

const headers = { authorization: `Bearer ${INTERNAL_TOKEN}` };

/** What the owner's own interface lists; undefined while nobody answers. */
export async function listAt<T = Record<string, unknown>>(url: string, path: string): Promise<T[] | undefined> {
  const answer = await fetch(url + path, { headers }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as { result: T[] }).result : undefined;
}
