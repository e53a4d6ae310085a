// The owner turns a switch in one process, and the very next signal of every other goes by it, whatever that one has heard.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type OwnerStorage, openOwnerStorage } from '../../src/adapters/storage/postgres/owner.ts';
import { openTradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import { StaleControlsError, UnknownOutcomeError } from '../../src/errors/storage-error.ts';
import { createWebhookKeys, type WebhookKeys } from '../../src/keys/webhook-keys.ts';
import {
  type Controls,
  type ControlsCopy,
  createControls,
  type SettingsStore,
} from '../../src/trading/intake/controls.ts';
import { Restrictions } from '../../src/trading/intake/restrictions.ts';
import { INITIAL_CONTROLS, openTestDesk, type TestDesk } from '../../src/trading/testing/test-desk.ts';
import { newTrade } from '../ports/sample-trades.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';

const CHILD = fileURLToPath(new URL('../support/controls-child.ts', import.meta.url));
const CONTROL_NAMES = ['killSwitch', 'queueMode', 'allowlist', 'limits'];
const ON = { active: true, scope: 'all' } as const;
const OFF = { active: false, scope: 'all' } as const;

let server: PostgresServer;
let url = '';
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.newDatabase();
});

async function owner(): Promise<OwnerStorage> {
  const opened = await openOwnerStorage(url);
  closeAtEnd(() => opened.close());
  return opened;
}

const controlsOf = ({ settings }: OwnerStorage): Controls =>
  createControls({ store: settings.settings, initial: INITIAL_CONTROLS, nowMs: Date.now });

/** A process that hears of no change by itself, as one whose connection is slow: only `refresh` brings it up to date. */
function deaf({ settings, controls }: OwnerStorage): { store: SettingsStore; copy: ControlsCopy; refreshed(): number } {
  const listeners: (() => void)[] = [];
  const read = () => ({
    version: controls.version(),
    values: new Map(CONTROL_NAMES.map((name) => [name, settings.settings.get(name)])),
  });
  let copy = read();
  let times = 0;
  return {
    store: {
      ...settings.settings,
      get: (name) => copy.values.get(name),
      watch: (listener) => void listeners.push(listener),
    },
    copy: {
      version: () => copy.version,
      async refresh() {
        await controls.refresh();
        copy = read();
        times += 1;
        for (const listener of listeners) listener();
      },
    },
    refreshed: () => times,
  };
}

interface Gateway extends TestDesk {
  readonly venue: ReturnType<typeof createScriptedVenue>;
}

async function gateway(store: SettingsStore, copy: ControlsCopy): Promise<Gateway> {
  const data = await openTradingStorage({ url, nowMs: Date.now, onDeath: () => {} });
  closeAtEnd(() => data.close());
  const venue = createScriptedVenue();
  const { journal, signals, outbox } = data;
  const opened = await openTestDesk({ journal, signals, outbox, venues: [venue], settings: store, controlsCopy: copy });
  closeAtEnd(() => opened.desk.stop(0));
  return { ...opened, venue };
}

const KILLED = /kill switch/;

test('a switch that is turned in another process holds at the very next signal, 100 times of 100', async () => {
  const child = fork(CHILD, [url], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  closeAtEnd(async () => child.kill('SIGKILL'));
  await once(child, 'message');
  const turn = async (active: boolean): Promise<void> => {
    child.send(active);
    await once(child, 'message');
  };
  const { settings, controls } = await owner();
  const { accept } = await gateway(settings.settings, controls);
  for (let round = 0; round < 100; round += 1) {
    await turn(true);
    await expect(accept(), `round ${round}`).rejects.toThrow(KILLED);
    await turn(false);
    // A refusal by old controls writes nothing that would tell: one that is lifted is heard of a moment later.
    await controls.refresh();
    await accept();
  }
});

describe('a process that has not heard of a change', () => {
  test('finds it at the next signal: its gates are asked again, and nothing of the first try is stored', async () => {
    const owners = await owner();
    const turned = controlsOf(await owner());
    const copy = deaf(owners);
    const { accept, desk } = await gateway(copy.store, copy.copy);
    for (let round = 1; round <= 10; round += 1) {
      await turned.set('killSwitch', ON, 'owner');
      await expect(accept(), `round ${round}`).rejects.toThrow(KILLED);
      expect(copy.refreshed()).toBe(round * 2 - 1);
      await turned.set('killSwitch', OFF, 'owner');
      await copy.copy.refresh();
      await accept();
    }
    expect(desk.backlog()).toBe(0);
    const [{ count } = {}] = await server.query('SELECT count(*)::int AS count FROM trading.trades', url);
    expect(count).toBe(10);
  });

  test('sends no order of a trade that was accepted before; it is looked at again, and canceled', async () => {
    const owners = await owner();
    const turned = controlsOf(await owner());
    const copy = deaf(owners);
    const { accept, desk, venue } = await gateway(copy.store, copy.copy);
    const signal = await accept();
    await turned.set('killSwitch', ON, 'owner');
    const dispatched = await desk.dispatcher.dispatch(signal, 'direct');
    expect(dispatched).toMatchObject({
      kind: 'settled',
      settled: { state: 'canceled', error: expect.stringMatching(KILLED) },
    });
    expect(venue.sent).toEqual([]);
  });

  test('sends an order that the change is not about, after one more look', async () => {
    const owners = await owner();
    const turned = controlsOf(await owner());
    const copy = deaf(owners);
    const { accept, desk, venue, alarms } = await gateway(copy.store, copy.copy);
    const signal = await accept();
    await turned.set('allowlist', ['127.0.0.1'], 'owner');
    expect(await desk.dispatcher.dispatch(signal, 'direct')).toMatchObject({
      kind: 'settled',
      settled: { state: 'filled' },
    });
    expect(venue.sent).toHaveLength(1);
    expect(copy.refreshed()).toBe(1);
    expect(alarms).toEqual([]);
  });

  test('and cannot be brought up to date gives up after three tries', async () => {
    const owners = await owner();
    const copy = deaf(owners);
    const refresh = vi.fn(async () => undefined);
    const stuck = { version: copy.copy.version, refresh };
    const { accept } = await gateway(copy.store, stuck);
    await controlsOf(await owner()).set('allowlist', ['127.0.0.1'], 'owner');
    await expect(accept()).rejects.toBeInstanceOf(StaleControlsError);
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  test('and cannot be read anew has certainly accepted nothing, and says so', async () => {
    const copy = deaf(await owner());
    const refresh = vi.fn(async () => Promise.reject(new UnknownOutcomeError('not read')));
    const { accept } = await gateway(copy.store, { version: copy.copy.version, refresh });
    await controlsOf(await owner()).set('allowlist', ['127.0.0.1'], 'owner');
    await expect(accept()).rejects.toBeInstanceOf(StaleControlsError);
  });
});

test('the version is asked for by writes that name one, and by no other', async () => {
  await owner();
  const data = await openTradingStorage({ url, nowMs: Date.now, onDeath: () => {} });
  closeAtEnd(() => data.close());
  // Without the table a write that asked for it would fail.
  await server.query('ALTER TABLE owner.controls_version RENAME TO hidden', url);
  expect(await data.journal.accept(newTrade(), 1000)).toMatchObject({ accepted: true });
  await expect(data.journal.accept({ ...newTrade(), controlsVersion: 0 }, 1000)).rejects.toThrow(/controls_version/);
});

describe('what is kept in memory', () => {
  const keysOf = ({ settings }: OwnerStorage): WebhookKeys =>
    createWebhookKeys({
      ...{ store: settings.webhookKeys, staticKeys: [], nowMs: Date.now },
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    });

  test('follows the changes of another process: keys, restrictions and controls', async () => {
    const [here, there] = [await owner(), await owner()];
    const [ourKeys, theirKeys] = [keysOf(here), keysOf(there)];
    const ours = new Restrictions({ store: here.settings.restrictions, nowMs: Date.now });
    const theirs = new Restrictions({ store: there.settings.restrictions, nowMs: Date.now });
    const [ourControls, theirControls] = [controlsOf(here), controlsOf(there)];
    const told: string[] = [];
    ours.watch(({ name, pause }, actor) => void told.push(`${name} ${pause ? 'paused' : 'free'} by ${actor}`));
    let isFirst = true;
    ourControls.watch(({ killSwitch }, actor) => {
      if (!isFirst) told.push(`${killSwitch.active ? 'on' : 'off'} by ${actor}`);
      isFirst = false;
    });
    const { apiKey, key } = await theirKeys.create({ label: 'chart' });
    await expect.poll(() => ourKeys.authenticate(apiKey)?.label).toBe('chart');
    await theirKeys.revoke(key.keyId);
    await expect.poll(() => ourKeys.authenticate(apiKey)).toBeUndefined();
    const strategy = { kind: 'strategy', name: 'ema' } as const;
    await theirs.pause(strategy, {}, 'them');
    await expect.poll(() => ours.find(strategy)?.pause).toBeDefined();
    await ours.resume(strategy, 'us');
    await expect.poll(() => theirs.find(strategy)).toBeUndefined();
    await theirControls.set('killSwitch', ON, 'them');
    await expect.poll(() => ourControls.current().killSwitch.active).toBe(true);
    await ourControls.set('killSwitch', OFF, 'us');
    // What was changed elsewhere is told without a name, what was changed here with it, and each once.
    expect(told).toEqual(['ema paused by undefined', 'ema free by us', 'on by undefined', 'off by us']);
    expect(theirs.list()).toEqual([]);
  });
});
