// Secrets of webhooks: nowhere in the files, whole in the signature, and for their own receiver only.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type DeploymentStorage,
  openDeploymentStorage,
} from '../adapters/storage/sqlite/strangers/testing/open-storage.ts';
import { isSealed, Sealer } from '../keys/sealed-text.ts';
import type { Deployment, WebhookPort } from '../library/deployments/index.ts';
import { SealedWebhooks } from './sealed-webhooks.ts';

const SECRET = 'the-very-secret-text-of-a-hook';
const URL = 'https://example.com/hook';
const LOG = { atMs: 1, kind: 'created', message: 'made' } as const;
const deployment = (id: string, targets: Deployment['targets']): Deployment => ({
  ...{ id, userId: 'a'.repeat(32), scriptId: 's', revision: 1, name: 'Name', symbol: 'BTCUSDT', market: 'BTCUSDT' },
  ...{ interval: '1m', timeframeMs: 60_000, inputs: {}, targets, state: 'running', createdAtMs: 5, anchorMs: 0 },
  ...{ lastRunAtMs: null, lastBarTimeMs: 0, lastError: null, failures: 0, runs: 0, alerts: 0, scriptType: 'strategy' },
  ...{
    mode: 'dry-run',
    orderMessage: null,
    initialCapital: null,
    position: null,
    toldPosition: null,
    drift: null,
    barsFrom: null,
  },
  ...{ digest: null, imports: [] },
});
const hook = (secret: string = SECRET) => ({ type: 'webhook', url: URL, secret }) as const;

let dataDir: string;
let storage: DeploymentStorage;
let asked: number;
let sealed: SealedWebhooks;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-sealed-'));
  storage = openDeploymentStorage({ dataDir });
  asked = 0;
  const sealer = new Sealer({ masterKey: 'the key of a test', randomBytes });
  sealed = new SealedWebhooks(async () => {
    asked++;
    return sealer;
  });
});
afterEach(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const isInFiles = (): boolean =>
  readdirSync(dataDir).some((name) => readFileSync(join(dataDir, name)).includes(SECRET));
const secretsOf = async (): Promise<string[]> =>
  (await storage.deployments.all()).flatMap(({ targets }) =>
    targets.flatMap((target) => (target.type === 'webhook' ? [target.secret ?? ''] : [])),
  );

async function posted(url: string, secret: string): Promise<string | undefined> {
  let used: string | undefined;
  const port: WebhookPort = {
    faultOf: () => undefined,
    post: async (call) => {
      used = call.secret;
      return { status: 200 };
    },
  };
  await sealed.opening(port).post({ url, secret, idempotencyKey: 'x', body: 'hello' });
  return used;
}

test('a new one is sealed before it is stored, and signs what is sent to its own receiver alone', async () => {
  await sealed.over(storage.deployments).create(deployment('d1', [hook()]), 'source', LOG);
  const [stored = ''] = await secretsOf();
  expect([isSealed(stored), isInFiles()]).toEqual([true, false]);
  expect(await posted(URL, stored)).toBe(SECRET);
  await expect(posted('https://elsewhere.example/hook', stored)).rejects.toThrow('the webhook at elsewhere.example');
});

test('those that were stored as they are work, are sealed at the next start, and leave nothing in the files', async () => {
  for (const id of ['d1', 'd2']) await storage.deployments.create(deployment(id, [hook()]), 'source', LOG);
  expect([await posted(URL, SECRET), isInFiles()]).toEqual([SECRET, true]);
  await storage.close();
  storage = openDeploymentStorage({ dataDir });
  await sealed.sealStored(storage.db);
  const stored = await secretsOf();
  expect([stored.map(isSealed), isInFiles()]).toEqual([[true, true], false]);
  // With one salt, so that one slow key opens both.
  expect(new Set(stored.map((text) => text.split('.')[4])).size).toBe(1);
  await sealed.sealStored(storage.db);
  expect(await secretsOf()).toEqual(stored);
});

test('without a secret nobody asks for a key', async () => {
  const targets: Deployment['targets'] = [
    { type: 'webhook', url: URL },
    { type: 'telegram', chatId: '42' },
  ];
  await sealed.over(storage.deployments).create(deployment('d1', targets), 'source', LOG);
  await sealed.sealStored(storage.db);
  expect([asked, (await storage.deployments.all())[0]?.targets]).toEqual([0, targets]);
});
