// A kill switch thrown, or a key made, while the disk fails at every step of it: what was answered as done is there after
// the next start, and any other answer says whether it holds.

import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { createWebhookKeys } from '../../src/keys/webhook-keys.ts';
import { type DiskFault, prepareDiskFaults } from '../support/disk-faults/index.ts';
import { freshDataDir, startGatewayProcess } from '../support/process.ts';

/** Every combination; the steps are counted upward until a change has no such step. */
const FAULTS = (['write', 'sync'] as const).flatMap((kind) =>
  (['EIO', 'ENOSPC'] as const).flatMap((error) => [false, true].map((forGood) => ({ kinds: [kind], error, forGood }))),
);

interface Answer {
  readonly status: number;
  readonly body: { code?: string; error?: string; result: { active: boolean; apiKey: string } };
}

/** What a start would find now: a copy of the files, as kill -9 would leave them, opened as a start opens them. */
async function nextStart(dataDir: string) {
  const copy = freshDataDir();
  for (const file of ['settings.db', 'settings.db-wal']) copyFileSync(join(dataDir, file), join(copy, file));
  const { settings, webhookKeys, close } = openSettingsStorage(copy);
  const stored = settings.get('killSwitch');
  const keys = createWebhookKeys({
    ...{ store: webhookKeys, staticKeys: [], nowMs: Date.now, randomBytes, marketOf: (symbol: string) => symbol },
  });
  await close();
  const isActive = stored !== undefined && (JSON.parse(stored) as { active: boolean }).active;
  return { isActive, keys };
}

async function openWorld() {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const env = { ...disk.env, LOG_LEVEL: 'silent' };
  const start = () => startGatewayProcess({ dataDir, env });
  let running = await start();
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${running.url}${path}`, {
      ...{ method, headers: { 'content-type': 'application/json' } },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  /** The answer, and what the next start would find while the disk still fails; undefined when it did not. */
  const tryWith = async (fault: DiskFault, change: () => Promise<Answer>) => {
    disk.fail({ ...fault, file: 'settings.db-wal' });
    const answer = await change();
    const found = await nextStart(dataDir);
    const isReached = disk.faults() > 0;
    disk.heal();
    return { answer, found, isReached };
  };
  return {
    call,
    tryWith,
    async restart() {
      await running.kill();
      running = await start();
    },
    async close() {
      await running.stop();
      disk.close();
    },
  };
}

const isRefusal = ({ status, body }: Answer, code: string, words: RegExp): boolean =>
  status === 500 && body.code === code && words.test(body.error ?? '');
const isFailed = (answer: Answer): boolean => isRefusal(answer, 'STORAGE_FAILED', /^nothing was changed: /);
const isUnknown = (answer: Answer): boolean => isRefusal(answer, 'STORAGE_UNKNOWN', /not known whether the next start/);

it('the kill switch is as its setter was told', async () => {
  const world = await openWorld();
  const outcomes = { stored: 0, failed: 0, unknown: 0 };
  let active = false;
  for (const fault of FAULTS) {
    for (let step = 1, isReached = true; isReached; step++) {
      const change = () => world.call('PUT', '/admin/kill-switch', { active: !active });
      const { answer, found, ...round } = await world.tryWith({ ...fault, step }, change);
      ({ isReached } = round);
      const inForce = (await world.call('GET', '/admin/kill-switch')).body.result.active;
      const seen = { step, ...fault, answer, active, inForce, found: found.isActive };
      if (answer.status === 200) {
        expect(seen).toMatchObject({ inForce: !active, found: !active });
        outcomes.stored++;
      } else {
        expect(seen).toMatchObject({ inForce: active });
        expect([seen, isFailed(answer) || isUnknown(answer)]).toEqual([seen, true]);
        if (isFailed(answer)) expect(seen).toMatchObject({ found: active });
        outcomes[isFailed(answer) ? 'failed' : 'unknown']++;
      }
      active = inForce;
    }
  }
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
  await world.call('PUT', '/admin/kill-switch', { active: true });
  await world.restart();
  expect((await world.call('GET', '/admin/kill-switch')).body.result.active).toBe(true);
  await world.close();
});

it('a webhook key is as its maker was told', async () => {
  const world = await openWorld();
  const made: string[] = [];
  const outcomes = { stored: 0, failed: 0, unknown: 0 };
  let labels = 0;
  for (const fault of FAULTS) {
    for (let step = 1, isReached = true; isReached; step++) {
      const label = `key ${++labels}`;
      const change = () => world.call('POST', '/admin/webhook-keys', { label });
      const { answer, found, ...round } = await world.tryWith({ ...fault, step }, change);
      ({ isReached } = round);
      const isFound = found.keys.list().some((key) => key.label === label);
      const seen = { step, ...fault, answer, isFound };
      if (answer.status === 201) {
        expect([seen, found.keys.authenticate(answer.body.result.apiKey)?.label]).toEqual([seen, label]);
        made.push(answer.body.result.apiKey);
        outcomes.stored++;
      } else {
        expect([seen, isFailed(answer) || isUnknown(answer)]).toEqual([seen, true]);
        if (isFailed(answer)) expect(seen).toMatchObject({ isFound: false });
        outcomes[isFailed(answer) ? 'failed' : 'unknown']++;
      }
    }
  }
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
  await world.restart();
  const signal = { exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.05 };
  for (const apiKey of made) expect((await world.call('POST', '/webhook', { apiKey, ...signal })).status).toBe(200);
  await world.close();
});
