// Deliveries by hand: again with growing pauses, in order, given up when hopeless or old, and what each target receives.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryQueue } from './delivery-queue.ts';
import type { Deployment, DeploymentEvent } from './deployment.ts';
import { eventId } from './event-id.ts';
import { createAlertSender, type SignalRow, type TargetParts, wordOf } from './targets.ts';
import { resultOf } from './testing/hand-runner.ts';
import { ANN, HOOK, openTestSetup, type TestSetup } from './testing/open-test-setup.ts';

let setup: TestSetup;
let id: string;
let tries: number[];
beforeEach(async () => {
  setup = openTestSetup(1100);
  setup.runner.answer = (request) => resultOf(request, () => 1);
  tries = [];
});
afterEach(() => setup.close());

/** A deployment whose receiver answers what the test says. */
async function deployTo(answer: () => void, targets = [HOOK]): Promise<void> {
  ({ id } = await setup.deploy({ targets }));
  setup.onDeliver = () => {
    tries.push(setup.clock.nowMs());
    answer();
  };
}

const fail = (more: object = {}) => {
  throw Object.assign(new Error('answered 503'), more);
};
const pauses = (): number[] => tries.slice(1).map((atMs, index) => atMs - tries[index]!);

describe('a delivery that does not arrive', () => {
  test('is tried again with pauses that double up to a minute, and given up after a quarter of an hour', async () => {
    await deployTo(fail);
    await setup.closeBar();
    await setup.clock.advance(1_000_000);
    expect(pauses().slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(tries.length).toBeLessThanOrEqual(20);
    expect(tries.at(-1)! - tries[0]!).toBeLessThanOrEqual(900_000);
    expect((await setup.logs(id)).at(-1)).toMatch(/^abandoned: webhook: (given up after 20 tries|it had to wait)/);
    expect(await setup.store.due(setup.clock.nowMs(), 9)).toEqual([]);
    expect(await setup.logs(id)).toContain('delivery-failed: webhook: answered 503');
  });

  test('and is hopeless is given up at once, with the reason in the log', async () => {
    await deployTo(() => fail({ retryable: false }));
    await setup.closeBar();
    await setup.clock.advance(60_000);
    expect(tries).toHaveLength(1);
    expect(await setup.logs(id)).toContain('abandoned: webhook: answered 503');
  });

  test('waits as long as its receiver asks for', async () => {
    await deployTo(() => (tries.length === 1 ? fail({ retryAfterMs: 20_000 }) : undefined));
    await setup.closeBar();
    await setup.clock.advance(30_000);
    expect(pauses()).toEqual([20_000]);
    expect(setup.arrived).toHaveLength(1);
  });

  test('holds up those behind it to the same target, and no other', async () => {
    await deployTo(() => {}, [HOOK, { type: 'telegram' } as never]);
    let isDown = true;
    setup.onDeliver = ({ target }) => {
      if (target.type === 'webhook' && isDown) fail();
    };
    for (let bar = 0; bar < 3; bar += 1) await setup.closeBar();
    expect(setup.arrived.map(({ target }) => target.type)).toEqual(['telegram', 'telegram', 'telegram']);
    isDown = false;
    await setup.clock.advance(120_000);
    const hooked = setup.arrived.filter(({ target }) => target.type === 'webhook').map(({ event }) => event.barTimeMs);
    expect(hooked).toHaveLength(3);
    expect(hooked).toEqual([...hooked].sort((a, b) => a - b));
  });

  test('nor comes back with an answer is tried again after half a minute', async () => {
    await deployTo(() => {});
    let isStuck = true;
    setup.onDeliver = () => (isStuck ? new Promise(() => {}) : undefined);
    await setup.closeBar();
    isStuck = false;
    await setup.clock.advance(32_000);
    expect(setup.arrived).toHaveLength(1);
    expect(await setup.logs(id)).toContain('delivery-failed: webhook: no answer within 30 s');
  });
});

test('a delivery that arrived and could not be crossed off is not sent again', async () => {
  await deployTo(() => {});
  setup.onStore = (method, moment) => {
    if (method === 'settle' && moment === 'before') throw new Error('the disk is full');
  };
  await setup.closeBar();
  await setup.clock.advance(20_000);
  setup.onStore = undefined;
  await setup.clock.advance(10_000);
  expect(tries).toHaveLength(1);
  expect((await setup.logs(id)).at(-1)).toBe('delivered: webhook: answered 200');
});

test('no more than four of one owner are sent at once', async () => {
  let atOnce = 0;
  let most = 0;
  for (let count = 0; count < 12; count += 1) await setup.deploy();
  setup.onDeliver = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise<void>((resolve) => void setup.clock.after(500, resolve));
    atOnce -= 1;
  };
  await setup.closeBar();
  await setup.clock.advance(5000);
  expect(most).toBe(4);
  expect(setup.arrived).toHaveLength(12);
});

test('what trades waits for no receiver that never answers, and comes before all others', async () => {
  const trade = { type: 'trade', keyId: 'k', keyLabel: 'paper', exchange: 'binance' } as const;
  for (let count = 0; count < 12; count += 1) await setup.deploy();
  await setup.deploy({ targets: [trade] });
  const asked: string[] = [];
  setup.onDeliver = ({ target }) => {
    asked.push(target.type);
    return target.type === 'webhook' ? new Promise<void>(() => {}) : undefined;
  };
  await setup.closeBar();
  await setup.clock.advance(2000);
  expect(asked.toSorted()).toEqual(['trade', 'webhook', 'webhook', 'webhook', 'webhook']);
});

describe('places', () => {
  const trade = { type: 'trade', keyId: 'k', keyLabel: 'paper', exchange: 'binance' } as const;
  /** What is begun of deliveries none of which ever ends, by target and owner. */
  async function begunOf(waiting: readonly (readonly [target: object, userId: string])[]): Promise<string[]> {
    const begun: string[] = [];
    const due = waiting.map(([target, userId], place) => ({
      ...{ id: place + 1, target, attempts: 0, deployment: { id: 'd', userId, timeframeMs: 60_000 } },
      event: { id: 'e', barTimeMs: setup.clock.nowMs(), createdAtMs: setup.clock.nowMs(), order: null },
    }));
    const queue = new DeliveryQueue({
      ...{ timers: setup.clock, log: { warn() {}, error() {} } as never },
      store: { due: async () => due, nextDueMs: async () => undefined, settle() {}, postpone() {} } as never,
      sender: {
        faultOf: () => undefined,
        send(_, target, { userId }) {
          begun.push(`${userId} ${target.type}`);
          return new Promise(() => {});
        },
      },
    });
    queue.kick();
    await setup.clock.advance(10);
    return begun;
  }

  test('are eight for receivers, four of them for one owner', async () => {
    const waiting = ['ann', 'bob', 'cid'].flatMap((userId) => Array.from({ length: 6 }, () => [HOOK, userId] as const));
    const begun = await begunOf(waiting);
    expect(begun).toEqual([...Array(4).fill('ann webhook'), ...Array(4).fill('bob webhook')]);
  });

  test('of trades are eight of their own, for whomever', async () => {
    const hooks = ['ann', 'bob'].flatMap((userId) => Array.from({ length: 6 }, () => [HOOK, userId] as const));
    const trades = Array.from({ length: 10 }, () => [trade, 'ann'] as const);
    const begun = await begunOf([...hooks, ...trades]);
    expect(begun.filter((words) => words === 'ann trade')).toHaveLength(8);
  });
});

test('what was not delivered before a restart and is older than a quarter of an hour is not sent any more', async () => {
  await deployTo(fail);
  await setup.closeBar();
  setup.onDeliver = undefined;
  await setup.crash(900_001);
  expect(setup.arrived.filter(({ event }) => event.createdAtMs < setup.clock.nowMs() - 900_000)).toEqual([]);
  expect((await setup.store.logs(ANN, id, 500))?.map(({ kind }) => kind)).toContain('abandoned');
});

describe('the targets', () => {
  const EVENT: DeploymentEvent = {
    id: eventId('d', 60_000, 0),
    deploymentId: 'd',
    barTimeMs: 60_000,
    ordinal: 0,
    message: 'Buy *now* <b>!',
    title: 'Cross',
    source: 'alertcondition',
    order: null,
    createdAtMs: 120_400,
  };
  const DEPLOYMENT = {
    id: 'd',
    scriptId: 's',
    revision: 3,
    name: 'My cross',
    symbol: 'BTC/USDT',
    interval: '1m',
    timeframeMs: 60_000,
    targets: [{ type: 'signals' }],
  } as unknown as Deployment;
  const sent: object[] = [];
  const rows = new Map<string, SignalRow>();
  const PARTS: TargetParts = {
    chat: {
      faultOf: (chatId) => (chatId === '13' ? 'chat 13 is not allowed' : undefined),
      async send(message) {
        sent.push(message);
        return { messageId: 1 };
      },
    },
    webhook: {
      faultOf: (url) => (url === 'bad' ? 'bad address' : undefined),
      async post(delivery) {
        sent.push(delivery);
        return { status: 202 };
      },
    },
    signals: {
      async add(row) {
        rows.set(row.signalId, row);
      },
      list: async ({ beforeSignalId }) => (rows.has(beforeSignalId) ? [] : undefined),
    },
  };
  const sender = createAlertSender(PARTS);
  beforeEach(() => {
    sent.length = 0;
    rows.clear();
  });

  test('a chat receives plain text, the message as the script made it', async () => {
    expect(await sender.send(EVENT, { type: 'telegram', chatId: '42' }, DEPLOYMENT)).toBe('sent');
    await sender.send({ ...EVENT, message: 'x'.repeat(5000) }, { type: 'telegram' }, DEPLOYMENT);
    const [first, second] = sent as { text: string }[];
    expect(first).toEqual({ chatId: '42', text: 'My cross · BTC/USDT 1m\nBuy *now* <b>!', parseMode: 'Plain' });
    expect(second).not.toHaveProperty('chatId');
    expect(second?.text).toHaveLength(4096);
  });

  test('a chat that cannot be written to is refused', () => {
    expect(sender.faultOf({ type: 'telegram', chatId: '13' })).toBe('chat 13 is not allowed');
    for (const to of [{}, { chatId: '42' }]) expect(sender.faultOf({ type: 'telegram', ...to })).toBe(undefined);
  });

  test('without a bot a chat is refused with the remedy, and nothing counts as sent', async () => {
    const { chat: _, ...rest } = PARTS;
    const without = createAlertSender(rest);
    expect(without.faultOf({ type: 'telegram' })).toContain('set TELEGRAM_BOT_TOKEN');
    await expect(without.send(EVENT, { type: 'telegram' }, DEPLOYMENT)).rejects.toMatchObject({
      message: expect.stringContaining('not sent. There is no Telegram bot'),
      retryable: false,
    });
  });

  test('a webhook receives everything there is to know, under the id of the event', async () => {
    const target = { type: 'webhook', url: 'https://example.com', secret: 'a-long-secret' } as const;
    expect(await sender.send(EVENT, target, DEPLOYMENT)).toBe('answered 202');
    expect(sent).toEqual([
      {
        url: 'https://example.com',
        secret: 'a-long-secret',
        idempotencyKey: EVENT.id,
        body: {
          eventId: EVENT.id,
          deploymentId: 'd',
          scriptId: 's',
          revision: 3,
          name: 'My cross',
          symbol: 'BTC/USDT',
          interval: '1m',
          barTime: 60_000,
          barCloseTime: 120_000,
          source: 'alertcondition',
          title: 'Cross',
          message: 'Buy *now* <b>!',
        },
      },
    ]);
    expect(sender.faultOf({ type: 'webhook', url: 'bad' })).toBe('bad address');
  });

  test('the signal store receives one row per event, however often it is delivered', async () => {
    for (let turn = 0; turn < 2; turn += 1) await sender.send(EVENT, { type: 'signals' }, DEPLOYMENT);
    expect([...rows.values()]).toEqual([
      {
        signalId: EVENT.id,
        timestampMs: 120_000,
        symbol: 'BTC/USDT',
        signalType: 'Buy_now_b',
        source: 'deployment',
        decision: 'stored',
      },
    ]);
    rows.clear();
    const named = { type: 'signals', signalType: 'LONG' } as const;
    await sender.send(EVENT, named, { ...DEPLOYMENT, targets: [named] });
    expect(rows.get(EVENT.id)?.signalType).toBe('LONG');
  });

  test.each([
    ['on a tick of the forming bar is of that moment', 75_000, 75_000],
    ['at the close of its bar is of the close', 120_000, 120_000],
    ['a little after the close of its bar is of the close', 120_001, 120_000],
  ])('a signal of what happened %s', async (_, createdAtMs, timestampMs) => {
    await sender.send({ ...EVENT, createdAtMs }, { type: 'signals' }, DEPLOYMENT);
    expect(rows.get(EVENT.id)?.timestampMs).toBe(timestampMs);
  });

  test('without a signal store that target is refused with the remedy', async () => {
    const { signals: _, ...rest } = PARTS;
    const without = createAlertSender(rest);
    expect(without.faultOf({ type: 'signals' })).toContain('SERVICES');
    await expect(without.send(EVENT, { type: 'signals' }, DEPLOYMENT)).rejects.toMatchObject({ retryable: false });
  });

  test.each([
    ['LONG', 'LONG'],
    ['Buy now!', 'Buy_now'],
    ['', 'ALERT'],
    ['…', 'ALERT'],
    ['{"action":"buy"}', 'action_buy'],
    ['x'.repeat(40), 'x'.repeat(32)],
    [`${'y'.repeat(31)} z`, 'y'.repeat(31)],
  ])('the message %j as a type is %j', (message, word) => {
    expect(wordOf(message)).toBe(word);
  });

  test('ids of events are UUIDs, the same for the same event and different for every other', () => {
    expect(EVENT.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const others = [eventId('d', 60_000, 1), eventId('d', 60_001, 0), eventId('e', 60_000, 0), eventId('d\n6', 0, 0)];
    expect(new Set([EVENT.id, ...others]).size).toBe(5);
    expect(eventId('d', 60_000, 0)).toBe(EVENT.id);
  });
});
