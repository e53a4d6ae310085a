// Many prices wanted at once cost the venue one question, and each market still has its own answer.

import { describe, expect, it } from 'vitest';
import { FeedRefusal } from '../../market-data/bar-feed.ts';
import { LastPrices } from './last-prices.ts';
import { UpstreamError } from './upstream-error.ts';

const PRICES = new Map([
  ['AUSDT', '1'],
  ['BUSDT', '2'],
  ['CUSDT', '3'],
]);

function open(listed: () => Promise<ReadonlyMap<string, string>> = async () => PRICES) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const feed = {
    maxSinglePrices: 2,
    async lastPrice(market: string) {
      asked.push(market);
      if (!PRICES.has(market)) throw new FeedRefusal(`there is no ${market}`);
      return PRICES.get(market) as string;
    },
    lastPrices() {
      asked.push('all');
      return listed();
    },
  };
  const prices = new LastPrices({ feed, monotonicMs: () => clock.ms, freshMs: 1_000, staleMs: 5_000 });
  const of = (...markets: string[]) => Promise.allSettled(markets.map((market) => prices.of(market)));
  return { asked, clock, of };
}

const values = (settled: readonly PromiseSettledResult<string>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));

describe('last prices', () => {
  it('are asked for one by one while few are wanted', async () => {
    const { asked, of } = open();
    expect(values(await of('AUSDT', 'BUSDT', 'AUSDT'))).toEqual(['1', '2', '1']);
    expect(asked).toEqual(['AUSDT', 'BUSDT']);
  });

  it('of more markets are asked for in one question', async () => {
    const { asked, clock, of } = open();
    expect(values(await of('AUSDT', 'BUSDT', 'CUSDT', 'BUSDT'))).toEqual(['1', '2', '3', '2']);
    expect(asked).toEqual(['all']);
    clock.ms = 999;
    await of('AUSDT', 'BUSDT', 'CUSDT');
    expect(asked).toEqual(['all']);
    clock.ms = 1_000;
    await of('AUSDT', 'BUSDT', 'CUSDT');
    expect(asked).toEqual(['all', 'all']);
  });

  it('of a market that the list does not have is asked for alone, and only that one is refused', async () => {
    const { asked, of } = open();
    const answers = values(await of('AUSDT', 'NOSUCHUSDT', 'BUSDT'));
    expect(answers).toEqual(['1', 'FeedRefusal: there is no NOSUCHUSDT', '2']);
    expect(asked).toEqual(['all', 'NOSUCHUSDT']);
  });

  it('serve a moment longer when the list cannot be had', async () => {
    let isDown = false;
    const { clock, of } = open(async () => {
      if (isDown) throw new UpstreamError('MEXC asks for fewer requests');
      return PRICES;
    });
    await of('AUSDT', 'BUSDT', 'CUSDT');
    isDown = true;
    clock.ms = 4_999;
    expect(values(await of('AUSDT', 'BUSDT', 'CUSDT'))).toEqual(['1', '2', '3']);
    clock.ms = 6_000;
    const answers = values(await of('AUSDT', 'BUSDT', 'CUSDT'));
    for (const answer of answers) expect(answer).toMatch(/fewer requests/);
  });
});
