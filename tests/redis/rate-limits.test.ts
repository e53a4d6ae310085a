// Rates counted in a real Redis say what those of one process say, to several gateways together, and are nobody's fault when it is lost.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRateLimits, type RateLimitsOptions } from '../../src/adapters/storage/redis/rate-limits.ts';
import { createLoginLimit } from '../../src/http/login-limit.ts';
import { createRateBuckets } from '../../src/http/shared-buckets.ts';
import { OwnEntryRates } from '../../src/trading/intake/entry-rates.ts';
import type { Restriction } from '../../src/trading/intake/restrictions.ts';
import { SharedEntryRates } from '../../src/trading/intake/shared-entry-rates.ts';
import { setLimits } from '../limits/provoke.ts';
import { closeAtEnd, closeWithFile } from '../support/close-at-end.ts';
import type { GatewayOptions } from '../support/gateway.ts';
import { timed } from '../support/lived-time.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';
import { expectDuplicateOf, expectFilled, expectRefusal, freshGateway, KEY_1 } from '../webhook/answers.ts';
import { describeRateLimits } from '../webhook/limits-suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
}, REDIS_START_TIMEOUT_MS);
afterAll(() => server.kill());

/** A corner of the server that no other test uses. */
const freshPrefix = () => `test-${randomUUID()}:`;
const STANDING = () => 1_800_000_000_000;

/** Asks with more patience than the product: on a busy machine a test is about what Redis says, not about when. */
async function opened(options: Partial<RateLimitsOptions> = {}, closeLater = closeAtEnd) {
  const states: (string | undefined)[] = [];
  const onState = (fault: Error | undefined): void => void states.push(fault?.message);
  const limits = await openRateLimits({
    ...{ url: server.url, prefix: freshPrefix(), longestMs: 20_000, onState, ...options },
  });
  closeLater(() => limits.close());
  return { ...limits, states };
}

async function openGateway(options: GatewayOptions = {}, limits: Partial<RateLimitsOptions> = {}) {
  const sharedLimits = await opened({ nowMs: STANDING, ...limits });
  return freshGateway({ ...options, sharedLimits, frozenLimits: true });
}

describeRateLimits('counted in Redis', openGateway);

describe('the same as in one process, with the same clock', () => {
  test('token buckets, whatever is taken, looked at and given back', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constant('take' as const) },
      fc.constant('peek' as const),
      fc.constant('giveBack' as const),
      fc.nat({ max: 40_000 }),
    );
    const clock = { nowMs: STANDING() };
    const { tokens } = await opened({ nowMs: () => clock.nowMs });
    await fc.assert(
      // A bucket lives in Redis as long as it takes to fill: seconds at the least, which no run of a test lasts.
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(step),
        async (...drawn) => {
          const [capacity, refillPerMinute, steps] = drawn;
          const options = { capacity, refillPerMinute, nowMs: () => clock.nowMs, maxKeys: 10, name: randomUUID() };
          const own = createRateBuckets({ ...options, shared: undefined });
          const shared = createRateBuckets({ ...options, shared: tokens });
          for (const each of steps) {
            if (typeof each === 'number') clock.nowMs += each;
            else expect(await shared[each]('key')).toEqual(own[each]('key'));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('entries of several subjects at once, all or none', async () => {
    const RATES = [1, 1, 2, undefined];
    const entry = fc.shuffledSubarray([...RATES.keys()]);
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ take: entry }) },
      fc.record({ look: entry }),
      fc.record({ giveBack: fc.nat({ max: 3 }) }),
      fc.record({ pass: fc.nat({ max: 30_000 }) }),
    );
    const clock = { nowMs: STANDING() };
    const { entries } = await opened({ nowMs: () => clock.nowMs });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const run = randomUUID();
        const subjects = (places: readonly number[]): Restriction[] =>
          places.map((at) => ({
            ...{ kind: 'strategy', name: `${run} ${at}` },
            limits: RATES[at] === undefined ? {} : { rate: RATES[at] },
          }));
        const own = new OwnEntryRates(() => clock.nowMs);
        const shared = new SharedEntryRates(new OwnEntryRates(() => clock.nowMs), entries);
        const taken: (() => void)[] = [];
        for (const each of steps) {
          if ('pass' in each) clock.nowMs += each.pass;
          else if ('look' in each)
            expect(await shared.refusalOf(subjects(each.look))).toEqual(own.refusalOf(subjects(each.look)));
          else if ('giveBack' in each) for (const giveBack of taken.splice(each.giveBack, 1)) giveBack();
          else {
            const [one, other] = [own.take(subjects(each.take)), await shared.take(subjects(each.take))];
            if ('refused' in one || 'refused' in other) expect(other).toEqual(one);
            else
              taken.unshift(() => {
                one.giveBack();
                other.giveBack();
              });
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test('logins: ten from an address, and a right one costs nothing', async () => {
    const { tokens: shared } = await opened({ nowMs: STANDING });
    const limits = [1, 2].map(() => createLoginLimit({ monotonicMs: () => 0, isKnown: async () => false, shared }));
    const attempt = (at: number) => (limits[at % 2] as (typeof limits)[number]).attempt('203.0.113.7');
    for (let at = 0; at < 30; at++) {
      const right = await attempt(at);
      expect(right.allowed).toBe(true);
      if (right.allowed) right.wasRight();
    }
    for (let at = 0; at < 10; at++) expect((await attempt(at)).allowed).toBe(true);
    expect(await attempt(1)).toEqual({ allowed: false, retryAfterSeconds: 6 });
  });
});

describe('two gateways on one Redis', () => {
  const KEY = 'a-key-that-both-gateways-know';
  const LIMIT = 20;
  const controls = { limits: { webhookRatePerMinute: LIMIT, failedAuthPerMinute: 30 } };
  const openTwo = async (options: GatewayOptions = {}) => {
    const prefix = freshPrefix();
    const open = () => openGateway({ staticKeys: [KEY], controls, ...options }, { prefix });
    return Promise.all([open(), open()]);
  };

  test('let exactly as many signals pass together as one may, in a flood over both', async () => {
    const gateways = await openTwo();
    const flood = Array.from({ length: 100 }, (_, at) =>
      gateways[at % 2]?.send({ apiKey: KEY, exchange: 'mexc', quantity: 0.0001 }),
    );
    const answers = await Promise.all(flood);
    expect(answers.filter((answer) => answer?.status === 429)).toHaveLength(100 - LIMIT);
    for (const answer of answers) expect([200, 202, 429]).toContain(answer?.status);
    for (const gateway of gateways) expectRefusal(await gateway.send({ apiKey: KEY }), 'RATE_LIMITED');
  });

  test('count wrong keys of an address together', async () => {
    const [one, other] = await openTwo();
    for (let at = 0; at < 30; at++)
      expectRefusal(await (at % 2 ? one : other).send({ apiKey: 'wrong' }), 'AUTHENTICATION_FAILED');
    for (const gateway of [one, other])
      expectRefusal(await gateway.send({ apiKey: 'wrong' }), 'TOO_MANY_FAILED_AUTHENTICATIONS');
  });

  test('count entries together, and one that was sent again is given back', async () => {
    const [one, other] = await openTwo();
    for (const gateway of [one, other]) await setLimits(gateway, 'strategy', 'ema', { rate: 3 });
    const entry = { apiKey: KEY, strategy: 'ema' };
    const first = await one.send({ ...entry, idempotencyKey: KEY_1 });
    expectFilled(first);
    for (let at = 0; at < 4; at++) expectDuplicateOf(await one.send({ ...entry, idempotencyKey: KEY_1 }), first);
    for (let at = 0; at < 2; at++) expectFilled(await other.send(entry));
    for (const gateway of [one, other]) {
      const refused = await gateway.send(entry);
      expectRefusal(refused, 'LIMIT_RATE');
      expect(refused.body.error).toContain(
        'rate of strategy "ema": 3 entries a minute are allowed, the next one in 60 s; nothing was sent',
      );
      expectFilled(await gateway.send({ ...entry, action: 'CLOSE_LONG', quantity: 1000 }));
    }
  });

  test('a look at what would become of a signal takes nothing, and sees what the other has let pass', async () => {
    const [one, other] = await openTwo();
    for (const gateway of [one, other]) await setLimits(gateway, 'strategy', 'ema', { rate: 1 });
    const body = JSON.stringify(one.signal({ apiKey: KEY, strategy: 'ema' }));
    const look = async () => (await one.request('POST', '/webhook/check', { body })).body.result;
    for (let at = 0; at < LIMIT + 1; at++) expect(await look()).toMatchObject({ outcome: 'would_trade' });
    expectFilled(await other.send({ apiKey: KEY, strategy: 'ema' }));
    expect(await look()).toMatchObject({ code: 'LIMIT_RATE' });
    for (let at = 1; at < LIMIT; at++) await other.send({ apiKey: KEY });
    expect(await look()).toMatchObject({ code: 'RATE_LIMITED' });
  });
});

test('signals enter the journal in the order in which they came, also where only some have a rate of their own', async () => {
  const gateway = await openGateway();
  await setLimits(gateway, 'strategy', 'ema', { rate: 1000 });
  const sent = await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      gateway.send({ quantity: 0.001, ...(at % 3 === 0 && { strategy: 'ema' }), comment: `${at}` }),
    ),
  );
  const { result } = (await gateway.request('GET', '/trades?limit=100')).body;
  expect(result.map(({ requestId }: { requestId: string }) => requestId).reverse()).toEqual(
    sent.map(({ body }) => body.requestId),
  );
});

describe('a clock of Redis that was an hour ahead and is right again', () => {
  const HOUR_MS = 3_600_000;
  const LIMITS = { capacity: 2, refillPerMinute: 3 };
  const openAhead = async () => {
    const clock = { nowMs: STANDING() + HOUR_MS };
    const { tokens, entries } = await opened({ nowMs: () => clock.nowMs });
    return { tokens, entries, clock };
  };

  test.each(['take', 'peek'] as const)('keeps no signal out for longer than its key is refilled (%s)', async (way) => {
    const { tokens, clock } = await openAhead();
    for (let at = 0; at < LIMITS.capacity; at++) await tokens.take('k', LIMITS);
    clock.nowMs -= HOUR_MS;
    // Nothing is earned for the hour that was not, and nothing is lost for it.
    expect(await tokens[way]('k', LIMITS)).toEqual({ allowed: false, tokens: 0 });
    clock.nowMs += 19_000;
    expect(await tokens[way]('k', LIMITS)).toMatchObject({ allowed: false });
    clock.nowMs += 1_000;
    expect(await tokens[way]('k', LIMITS)).toMatchObject({ allowed: true });
  });

  test('keeps no entry out: those of the hour that was not are forgotten', async () => {
    const { entries, clock } = await openAhead();
    const rates = [{ name: 'strategy:ema', rate: 1 }];
    await entries.take(rates);
    expect(await entries.look(rates)).toEqual({ full: { at: 0, waitMs: 60_000 } });
    clock.nowMs -= HOUR_MS;
    expect(await entries.look(rates)).toEqual({});
    expect(await entries.take(rates)).not.toHaveProperty('full');
    expect(await entries.look(rates)).toEqual({ full: { at: 0, waitMs: 60_000 } });
  });
});

test('what is kept in Redis ends by itself, also a bucket to which a token was given back', async () => {
  const prefix = freshPrefix();
  const { tokens, entries } = await opened({ prefix });
  for (let at = 0; at < 2; at++) await tokens.take('signals:k', { capacity: 2, refillPerMinute: 3 });
  tokens.giveBack('signals:k', { capacity: 2, refillPerMinute: 3 });
  expect(await tokens.peek('signals:k', { capacity: 2, refillPerMinute: 3 })).toMatchObject({ allowed: true });
  await entries.take([{ name: 'strategy:ema', rate: 3 }]);
  const tool = new Redis(server.url);
  closeAtEnd(async () => tool.disconnect());
  const lives = async (name: string) => tool.pttl(`${prefix}${name}`);
  expect(await lives('rate:signals:k')).toBeGreaterThan(0);
  expect(await lives('rate:signals:k')).toBeLessThanOrEqual(40_000);
  expect(await lives('entries:strategy:ema')).toBeGreaterThan(0);
  expect(await lives('entries:strategy:ema')).toBeLessThanOrEqual(60_000);
});

describe('a Redis of its own that', () => {
  let frail: RedisServer;
  beforeAll(async () => {
    frail = await startRedis(['--appendonly', 'no']);
  }, REDIS_START_TIMEOUT_MS);
  afterAll(async () => {
    frail.resume();
    await frail.kill();
  });
  const LIMITS = { capacity: 3, refillPerMinute: 3 };
  const openBuckets = async () => {
    const { tokens, states } = await opened({ url: frail.url, nowMs: STANDING, longestMs: 250 }, closeWithFile);
    const options = { ...LIMITS, name: 'signals', nowMs: () => 0, maxKeys: 10, shared: tokens };
    return { buckets: createRateBuckets(options), states };
  };

  test('hangs is waited for a quarter of a second, once, and the process goes on by its own count', async () => {
    const { buckets, states } = await openBuckets();
    expect(await buckets.take('k')).toMatchObject({ allowed: true, remaining: 2 });
    frail.pause();
    const order: number[] = [];
    const take = async (at: number): Promise<boolean> => {
      const { allowed } = await buckets.take('k');
      order.push(at);
      return allowed;
    };
    const { result: hung, livedMs } = await timed(() => Promise.all([1, 2, 3].map(take)));
    expect(hung).toEqual([true, true, false]);
    expect(order).toEqual([1, 2, 3]);
    expect(livedMs).toBeLessThan(1000);
    expect(buckets.take('k')).toMatchObject({ allowed: false, remaining: 0, limit: 3, retryAfterSeconds: 20 });
    expect(states).toEqual([expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ does not answer within 250 ms; /)]);
    frail.resume();
    await expect.poll(() => states).toHaveLength(2);
    expect(states[1]).toBeUndefined();
    expect(buckets.take('k')).toBeInstanceOf(Promise);
  });

  test('is killed and comes back is used again, and told of once', async () => {
    const { buckets, states } = await openBuckets();
    expect(await buckets.take('k')).toMatchObject({ allowed: true });
    await frail.kill();
    await expect.poll(() => states).toHaveLength(1);
    for (const remaining of [1, 0]) expect(buckets.take('k')).toMatchObject({ allowed: true, remaining });
    for (let at = 0; at < 100; at++) expect(buckets.take('k')).toMatchObject({ allowed: false });
    expect(states).toEqual([expect.stringMatching(/cannot be reached/)]);
    await frail.restart();
    await expect.poll(() => states).toHaveLength(2);
    expect(buckets.peek('k')).toBeInstanceOf(Promise);
  });

  test('was not there at the start comes into use when it is', async () => {
    await frail.kill();
    const { buckets, states } = await openBuckets();
    expect(states).toHaveLength(1);
    expect(buckets.take('k')).toMatchObject({ allowed: true });
    await frail.restart();
    await expect.poll(() => states).toHaveLength(2);
    expect(buckets.take('k')).toBeInstanceOf(Promise);
  });
});
