// A second opinion beside a real gateway: the pasted text makes the names that we expect, and whatever happens nothing trades twice.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { freshGateway } from '../webhook/answers.ts';
import { BAR_MS, ENTRY, EXIT, enter, type OpinionLife, openOpinionLife } from './opinion-lives.ts';

const tradesOf = async (gateway: TestGateway, alertId: string) =>
  (await gateway.data.journal.trades({ limit: 100, alertId })).map(({ source, order }) => [source, order.action]);
const nameOf = (alertName: string): string => `${alertName}/L/buy/long/${ENTRY['{{time}}']}`;
const stateOf = async (life: OpinionLife) => (await life.opinions()).opinions.at(-1)?.state;

describe('the pasted text', () => {
  it('makes the names that our script expects, of an entry and of what strategy.close() closes', async () => {
    const gateway = await freshGateway();
    const life = await openOpinionLife(gateway, { alertName: 'text' });
    await enter(life);
    expect((await life.post(ENTRY)).body).toMatchObject({ success: true, tradeResult: { status: 'Filled' } });
    await life.pass(2000);
    await life.setup.pass(2 * BAR_MS);
    life.setup.market.tick();
    await life.pass(1000);
    expect((await life.post(EXIT)).body).toMatchObject({ success: true, tradeResult: { status: 'Filled' } });
    await life.pass(3000);
    const { opinions, counts } = await life.opinions();
    expect(opinions.map(({ alertId, state, words }) => [alertId, state, words])).toEqual([
      [`text/Close entry(s) order L/sell/flat/${EXIT['{{time}}']}`, 'confirmed', ''],
      [nameOf('text'), 'confirmed', ''],
    ]);
    expect(counts).toEqual({ confirmed: 2 });
    expect((await gateway.request('GET', '/positions')).body.result).toEqual([]);
    await life.setup.close();
  });

  it('has its differences found in what the gateway keeps: another size, price or position before', async () => {
    const gateway = await freshGateway();
    for (const [place, value, words] of [
      ['{{strategy.order.contracts}}', '0.02', 'its quantity is 0.02, ours 0.01'],
      ['{{strategy.order.price}}', '101', 'its price is 101, ours 100'],
      ['{{strategy.prev_market_position}}', 'short', 'it was short before, our script flat'],
    ] as const) {
      const life = await openOpinionLife(gateway, { alertName: `d${value}` });
      await enter(life);
      const size = value === 'short' ? { '{{strategy.prev_market_position_size}}': '0.01' } : {};
      const sent = await life.post({ ...ENTRY, ...size, [place]: value });
      expect(sent.status).toBeLessThan(300);
      await life.pass(3000);
      expect((await life.opinions()).opinions[0]).toMatchObject({
        state: 'different',
        words: expect.stringContaining(words),
      });
      await life.setup.close();
    }
  });
});

describe('a missing alert', () => {
  it('is sent by us, and the late one is refused as its duplicate: under one name, one trade', async () => {
    const gateway = await freshGateway();
    const life = await openOpinionLife(gateway, { alertName: 'late', sendMissing: true });
    await enter(life);
    await life.pass(30_000);
    expect(await tradesOf(gateway, nameOf('late'))).toEqual([['script', 'LONG']]);
    const late = await life.post(ENTRY);
    expect([late.status, late.body.code]).toEqual([409, 'DUPLICATE_SIGNAL']);
    await life.pass(5000);
    expect((await life.opinions()).opinions[0]).toMatchObject({
      state: 'late',
      words: expect.stringMatching(/s late\. It was sent by us before, and not traded again\./),
      sent: expect.stringMatching(/^sent by us: Filled as /),
    });
    expect(await tradesOf(gateway, nameOf('late'))).toHaveLength(1);
    await life.setup.close();
  });

  it('that a gate refused is known by the key of its refusal, and is not sent', async () => {
    const gateway = await freshGateway();
    const life = await openOpinionLife(gateway, { alertName: 'gate', sendMissing: true });
    await enter(life);
    await gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
    expect((await life.post(ENTRY)).status).toBe(503);
    await gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test');
    await life.pass(60_000);
    expect((await life.opinions()).opinions[0]).toMatchObject({
      state: 'confirmed',
      words: 'The gateway refused it: KILL_SWITCH_ACTIVE.',
    });
    expect(await tradesOf(gateway, nameOf('gate'))).toEqual([]);
    await life.setup.close();
  });
});

describe('an alert that came in', () => {
  it('under another key is not the one that is awaited, accepted or refused', async () => {
    const gateway = await freshGateway();
    const life = await openOpinionLife(gateway, { alertName: 'keys' });
    await enter(life);
    const other = { alertId: nameOf('keys'), strategy: 'another' };
    expect((await gateway.send(other)).status).toBe(200);
    expect((await gateway.send(other)).status).toBe(409);
    await life.pass(25_000);
    expect(await stateOf(life)).toBe('missing');
    await life.setup.close();
  });

  it('under a key with routes is compared by its side, not by the size that was traded', async () => {
    const gateway = await freshGateway({ accounts: ['scalp'] });
    const life = await openOpinionLife(gateway, { alertName: 'routes' });
    const [key] = gateway.keys.list().filter(({ label }) => label === 'routes');
    await gateway.keys.route(key!.keyId, [
      { account: 'main', multiplier: 3 },
      { account: 'scalp', multiplier: 2 },
    ]);
    await enter(life);
    expect((await life.post(ENTRY)).status).toBeLessThan(300);
    await life.pass(3000);
    expect((await life.opinions()).opinions[0]).toMatchObject({ state: 'confirmed', words: '' });
    await life.setup.close();
  });
});

type Step =
  | { readonly do: 'post'; readonly copies: number }
  | { readonly do: 'wait' | 'crash'; readonly ms: number }
  /** The next call that trades does not leave, or its answer does not come back. */
  | { readonly do: 'lose'; readonly moment: 'before' | 'after' }
  /** The process dies around the next call that trades. */
  | { readonly do: 'doom'; readonly moment: 'before' | 'after' };

const moment = fc.constantFrom('before' as const, 'after' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('post' as const), copies: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(20_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), ms: fc.nat(15_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), moment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('doom' as const), moment }) },
);

/** Whatever was sent side by side has been answered when it ends. */
async function play(life: OpinionLife, steps: readonly Step[]): Promise<void> {
  let isDoomed = false;
  const revive = async (): Promise<void> => {
    if (!isDoomed) return;
    isDoomed = false;
    await life.setup.rise();
  };
  for (const each of steps) {
    switch (each.do) {
      case 'post': {
        const posts = Array.from({ length: each.copies }, () => life.post(ENTRY));
        // While they are on their way, time goes on and we may send it too.
        await Promise.all([...posts, life.pass(500)]);
        break;
      }
      case 'wait':
        await life.pass(each.ms);
        break;
      case 'crash':
        life.setup.die();
        await life.pass(each.ms);
        await life.setup.rise();
        break;
      default:
        life.onTrade = (at) => {
          if (at !== each.moment) return;
          life.onTrade = undefined;
          if (each.do === 'lose') throw new Error('the other process is away');
          isDoomed = true;
          life.setup.die();
        };
    }
    await revive();
  }
  life.onTrade = undefined;
  await life.pass(90_000);
}

it('an alert trades once and never twice, however posts, copies, delays, lost calls and crashes fall together', async () => {
  const gateway = await freshGateway();
  let cases = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }), async (steps) => {
      cases += 1;
      const alertName = `case-${cases}`;
      const life = await openOpinionLife(gateway, { alertName, sendMissing: true });
      try {
        await enter(life);
        await play(life, steps);
        const trades = await tradesOf(gateway, nameOf(alertName));
        const isPosted = steps.some((each) => each.do === 'post');
        const isHeldUp = steps.some((each) => each.do === 'crash');
        // Only where nothing came from TradingView and we were away ourselves may its moment have passed.
        expect(trades.length).toBeGreaterThanOrEqual(isPosted || !isHeldUp ? 1 : 0);
        expect(trades.length).toBeLessThanOrEqual(1);
        const state = await stateOf(life);
        expect(isPosted ? ['confirmed', 'late'] : ['missing']).toContain(state);
        const { counts } = await life.opinions();
        expect([counts.missing ?? 0, counts.late ?? 0, counts.confirmed ?? 0, counts.sent ?? 0]).toSatisfy(
          (all: number[]) => all.every((count) => count <= 1),
        );
        expect(counts.different).toBeUndefined();
      } finally {
        await life.setup.close();
      }
    }),
    { numRuns: 40 },
  );
}, 280_000);
