// Deliveries by hand: again with growing pauses, in order, given up when hopeless or old, and what each target receives.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Deployment, DeploymentEvent } from './deployment.ts';
import { eventId } from './event-id.ts';
import { createDeliveries, type SignalRow, type TargetParts, wordOf } from './targets.ts';
import { resultOf } from './testing/hand-runner.ts';
import { ANN, HOOK, openTestDesk, type TestDesk } from './testing/open-test-desk.ts';

let desk: TestDesk;
let id: string;
let tries: number[];
beforeEach(async () => {
  desk = openTestDesk(1100);
  desk.runner.answer = (request) => resultOf(request, () => 1);
  tries = [];
});
afterEach(() => desk.close());

/** A deployment whose receiver answers what the test says. */
async function deployTo(answer: () => void, targets = [HOOK]): Promise<void> {
  ({ id } = await desk.deploy({ targets }));
  desk.onDeliver = () => {
    tries.push(desk.clock.nowMs());
    answer();
  };
}

const fail = (more: object = {}) => {
  throw Object.assign(new Error('answered 503'), more);
};
const pauses = (): number[] => tries.slice(1).map((atMs, index) => atMs - tries[index]!);

describe('a letter that does not arrive', () => {
  test('is tried again with pauses that double up to a minute, and given up after a quarter of an hour', async () => {
    await deployTo(fail);
    await desk.closeBar();
    await desk.clock.advance(1_000_000);
    expect(pauses().slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(tries.length).toBeLessThanOrEqual(20);
    expect(tries.at(-1)! - tries[0]!).toBeLessThanOrEqual(900_000);
    expect((await desk.logs(id)).at(-1)).toMatch(/^abandoned: webhook: (given up after 20 tries|it had to wait)/);
    expect(await desk.store.due(desk.clock.nowMs(), 9)).toEqual([]);
    expect(await desk.logs(id)).toContain('delivery-failed: webhook: answered 503');
  });

  test('and is hopeless is given up at once, with the reason in the log', async () => {
    await deployTo(() => fail({ retryable: false }));
    await desk.closeBar();
    await desk.clock.advance(60_000);
    expect(tries).toHaveLength(1);
    expect(await desk.logs(id)).toContain('abandoned: webhook: answered 503');
  });

  test('waits as long as its receiver asks for', async () => {
    await deployTo(() => (tries.length === 1 ? fail({ retryAfterMs: 20_000 }) : undefined));
    await desk.closeBar();
    await desk.clock.advance(30_000);
    expect(pauses()).toEqual([20_000]);
    expect(desk.arrived).toHaveLength(1);
  });

  test('holds up those behind it to the same target, and no other', async () => {
    await deployTo(() => {}, [HOOK, { type: 'telegram' } as never]);
    let isDown = true;
    desk.onDeliver = ({ target }) => {
      if (target.type === 'webhook' && isDown) fail();
    };
    for (let bar = 0; bar < 3; bar += 1) await desk.closeBar();
    expect(desk.arrived.map(({ target }) => target.type)).toEqual(['telegram', 'telegram', 'telegram']);
    isDown = false;
    await desk.clock.advance(120_000);
    const hooked = desk.arrived.filter(({ target }) => target.type === 'webhook').map(({ event }) => event.barTimeMs);
    expect(hooked).toHaveLength(3);
    expect(hooked).toEqual([...hooked].sort((a, b) => a - b));
  });

  test('nor comes back with an answer is tried again after half a minute', async () => {
    await deployTo(() => {});
    let isStuck = true;
    desk.onDeliver = () => (isStuck ? new Promise(() => {}) : undefined);
    await desk.closeBar();
    isStuck = false;
    await desk.clock.advance(32_000);
    expect(desk.arrived).toHaveLength(1);
    expect(await desk.logs(id)).toContain('delivery-failed: webhook: no answer within 30 s');
  });
});

test('a letter that arrived and could not be crossed off is not sent again', async () => {
  await deployTo(() => {});
  desk.onStore = (method, moment) => {
    if (method === 'settle' && moment === 'before') throw new Error('the disk is full');
  };
  await desk.closeBar();
  await desk.clock.advance(20_000);
  desk.onStore = undefined;
  await desk.clock.advance(10_000);
  expect(tries).toHaveLength(1);
  expect((await desk.logs(id)).at(-1)).toBe('delivered: webhook: answered 200');
});

test('no more than eight are sent at once', async () => {
  let atOnce = 0;
  let most = 0;
  for (let count = 0; count < 12; count += 1) await desk.deploy();
  desk.onDeliver = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise<void>((resolve) => void desk.clock.after(500, resolve));
    atOnce -= 1;
  };
  await desk.closeBar();
  await desk.clock.advance(5000);
  expect(most).toBe(8);
  expect(desk.arrived).toHaveLength(12);
});

test('what was not delivered before a restart and is older than a quarter of an hour is not sent any more', async () => {
  await deployTo(fail);
  await desk.closeBar();
  desk.onDeliver = undefined;
  await desk.crash(900_001);
  expect(desk.arrived.filter(({ event }) => event.createdAtMs < desk.clock.nowMs() - 900_000)).toEqual([]);
  expect((await desk.store.logs(ANN, id, 500))?.map(({ kind }) => kind)).toContain('abandoned');
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
    createdAtMs: 1,
  };
  const DEPLOYMENT = {
    id: 'd',
    scriptId: 's',
    revision: 3,
    name: 'My cross',
    symbol: 'BTC/USDT',
    interval: '1m',
    timeframeMs: 60_000,
  } as Deployment;
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
      async post(letter) {
        sent.push(letter);
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
  const deliveries = createDeliveries(PARTS);
  beforeEach(() => {
    sent.length = 0;
    rows.clear();
  });

  test('a chat receives plain text, the message as the script made it', async () => {
    expect(await deliveries.deliver(EVENT, { type: 'telegram', chatId: '42' }, DEPLOYMENT)).toBe('sent');
    await deliveries.deliver({ ...EVENT, message: 'x'.repeat(5000) }, { type: 'telegram' }, DEPLOYMENT);
    const [first, second] = sent as { text: string }[];
    expect(first).toEqual({ chatId: '42', text: 'My cross · BTC/USDT 1m\nBuy *now* <b>!', parseMode: 'Plain' });
    expect(second).not.toHaveProperty('chatId');
    expect(second?.text).toHaveLength(4096);
  });

  test('a chat that cannot be written to is refused', () => {
    expect(deliveries.faultOf({ type: 'telegram', chatId: '13' })).toBe('chat 13 is not allowed');
    for (const to of [{}, { chatId: '42' }]) expect(deliveries.faultOf({ type: 'telegram', ...to })).toBe(undefined);
  });

  test('without a bot a chat is refused with the remedy, and nothing counts as sent', async () => {
    const { chat: _, ...rest } = PARTS;
    const without = createDeliveries(rest);
    expect(without.faultOf({ type: 'telegram' })).toContain('set TELEGRAM_BOT_TOKEN');
    await expect(without.deliver(EVENT, { type: 'telegram' }, DEPLOYMENT)).rejects.toMatchObject({
      message: expect.stringContaining('not sent. There is no Telegram bot'),
      retryable: false,
    });
  });

  test('a webhook receives everything there is to know, under the id of the event', async () => {
    const target = { type: 'webhook', url: 'https://example.com', secret: 'a-long-secret' } as const;
    expect(await deliveries.deliver(EVENT, target, DEPLOYMENT)).toBe('answered 202');
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
    expect(deliveries.faultOf({ type: 'webhook', url: 'bad' })).toBe('bad address');
  });

  test('the signal store receives one row per event, however often it is delivered', async () => {
    for (let turn = 0; turn < 2; turn += 1) await deliveries.deliver(EVENT, { type: 'signals' }, DEPLOYMENT);
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
    await deliveries.deliver(EVENT, { type: 'signals', signalType: 'LONG' }, DEPLOYMENT);
    expect(rows.get(EVENT.id)?.signalType).toBe('LONG');
  });

  test('without a signal store that target is refused with the remedy', async () => {
    const { signals: _, ...rest } = PARTS;
    const without = createDeliveries(rest);
    expect(without.faultOf({ type: 'signals' })).toContain('SERVICES');
    await expect(without.deliver(EVENT, { type: 'signals' }, DEPLOYMENT)).rejects.toMatchObject({ retryable: false });
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
