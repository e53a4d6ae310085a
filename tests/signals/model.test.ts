// Any sequence of signals from any door against a plain model of the list, and pages that are read while others write.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marketOf } from '../../src/trading/intake/market-symbol.ts';
import type { TestGateway } from '../support/gateway.ts';
import { freshGateway } from '../webhook/answers.ts';
import { type Listed, listed, pages, stored } from './records.ts';

const SYMBOLS = ['BTCUSDT', 'BTC/USDT', 'BINANCE:BTCUSDT.P', 'ETHUSDT', 'eth_usdt', 'XBTCUSDT', ':', 'A'];
const SOURCES = ['api', 'desk', 'webhook', 'tradingview'];
/** Few instants, so that many records share one. */
const timestamp = fc.nat({ max: 3 });

type Step =
  | { readonly door: 'signals'; readonly symbol: string; readonly timestamp: number; readonly source: string }
  | { readonly door: 'webhook' | 'tradingview'; readonly symbol: string; readonly kill: boolean };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    door: fc.constant('signals' as const),
    symbol: fc.constantFrom(...SYMBOLS),
    timestamp,
    source: fc.constantFrom(...SOURCES),
  }),
  fc.record({
    door: fc.constantFrom('webhook' as const, 'tradingview' as const),
    symbol: fc.constantFrom('BTCUSDT', 'BTC/USDT', 'ETHUSDT'),
    kill: fc.boolean(),
  }),
);
const questions = fc.record(
  { symbol: fc.constantFrom(...SYMBOLS, 'NONE'), source: fc.constantFrom(...SOURCES, 'nobody') },
  { requiredKeys: [] },
);

/** Takes the step and says what must be listed for it. */
async function take(gateway: TestGateway, step: Step): Promise<Listed> {
  if (step.door === 'signals') {
    const { symbol, timestamp, source } = step;
    const signal_id = await stored(gateway, { symbol, timestamp, source, signal_type: 'NOTE' });
    return { signal_id, timestamp, symbol, signal_type: 'NOTE', source, decision: 'stored' };
  }
  await gateway.controls.set('killSwitch', { active: step.kill, scope: 'all' }, 'test');
  const more = step.door === 'webhook' ? {} : { action: 'buy', marketPosition: 'long', quantity: '0.01' };
  const path = step.door === 'webhook' ? '/webhook' : '/webhook/tradingview';
  const before = Date.now();
  const { body } = await gateway.request('POST', path, gateway.signal({ symbol: step.symbol, ...more }));
  const [found] = (await listed(gateway, { limit: 100 })).filter(({ signal_id }) => signal_id === body.requestId);
  // The time is the gateway's own; everything else is known beforehand.
  expect(found?.timestamp).toBeGreaterThanOrEqual(before);
  expect(found?.timestamp).toBeLessThanOrEqual(Date.now());
  return {
    signal_id: body.requestId,
    timestamp: found?.timestamp ?? 0,
    symbol: step.symbol,
    signal_type: 'LONG',
    source: step.door,
    decision: body.success ? 'accepted' : body.code,
  };
}

/** A stable sort by time of the records in reverse order of arrival is the whole rule. */
const ordered = (records: readonly Listed[]): Listed[] =>
  records.toReversed().sort((a, b) => b.timestamp - a.timestamp);

const matches =
  ({ symbol, source }: { symbol?: string; source?: string }) =>
  (record: Listed) =>
    (source === undefined || record.source === source) &&
    (symbol === undefined ||
      record.symbol === symbol ||
      (marketOf(symbol) !== undefined && marketOf(record.symbol) === marketOf(symbol)));

describe('the list', () => {
  it('is what a sorted array would be, for any signals, filters and page sizes', async () => {
    const gateway = await freshGateway();
    const model: Listed[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { maxLength: 6 }),
        questions,
        fc.integer({ min: 1, max: 30 }),
        async (sequence, question, limit) => {
          for (const step of sequence) model.push(await take(gateway, step));
          const whole = ordered(model).filter(matches(question));
          expect(await listed(gateway, { ...question, limit })).toEqual(whole.slice(0, limit));
          expect(await pages(gateway, 17, question)).toEqual(whole);
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
    expect(model.length).toBeGreaterThan(20);
    expect(new Set(model.map(({ decision }) => decision)).size).toBeGreaterThan(2);
  });
});

describe('pages that are read while others write', () => {
  it('repeat nothing and lose nothing that was there at the beginning', async () => {
    const gateway = await freshGateway();
    const first = await Promise.all(Array.from({ length: 120 }, (_, at) => stored(gateway, { timestamp: at % 3 })));
    let writing = true;
    const added = new Set<string>();
    const writer = async (timestamp: number | undefined): Promise<void> => {
      while (writing && added.size < 2000) added.add(await stored(gateway, { timestamp, source: 'writer' }));
    };
    // Some write above everything, some into the very instants that are being read.
    const writers = [undefined, undefined, 0, 1, 2].map(writer);
    const readers = await Promise.all(
      [1, 3, 10, 100].map((limit) => pages(gateway, limit, limit === 10 ? { source: 'api' } : {})),
    );
    writing = false;
    await Promise.all(writers);
    for (const records of readers) {
      const ids = records.map(({ signal_id }) => signal_id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => !added.has(id)).sort()).toEqual([...first].sort());
      expect(records).toEqual([...records].sort((a, b) => b.timestamp - a.timestamp));
    }
    const all = await pages(gateway, 100);
    expect(all).toHaveLength(120 + added.size);
    expect(added.size).toBeGreaterThan(0);
  });

  it('show a signal as soon as its sender has the answer, to every reader', async () => {
    const gateway = await freshGateway({ controls: { queueMode: 'async' } });
    await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const sent =
          at % 2 === 0
            ? await gateway.send()
            : await gateway.request('POST', '/signals', { symbol: 'A', signal_type: 'B' });
        const id = sent.body.requestId;
        const [plain, narrow] = await Promise.all([
          listed(gateway, { limit: 100 }),
          listed(gateway, { limit: 100, source: at % 2 === 0 ? 'webhook' : 'api' }),
        ]);
        for (const records of [plain, narrow]) expect(records.map(({ signal_id }) => signal_id)).toContain(id);
      }),
    );
  });
});
