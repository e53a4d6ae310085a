// A venue's markets over time: when their rules are read again, and that one that was known can be closed by its rules, whatever the
// venue's list says of it later.

import { expect, test } from 'vitest';
import { decimal, toText } from '../../trading/decimal.ts';
import { UnknownMarket } from '../../trading/venue.ts';
import { MarketTable } from './market-table.ts';
import type { MarketList, VenueMarket } from './venue-adapter.ts';

const HOUR_MS = 3_600_000;

const marketOf = (symbol: string): VenueMarket => ({
  ...{ symbol, venueSymbol: symbol, tickSize: decimal('0.1'), stepSize: decimal('0.001'), maxLeverage: 20 },
  ...{ minQuantity: decimal('0.001'), minNotional: decimal('5') },
});

const listOf = (symbols: readonly string[], unreadable: readonly string[] = []): MarketList => ({
  markets: new Map(symbols.map((symbol) => [symbol, marketOf(symbol)])),
  unreadable: new Set(unreadable),
});

function open(...lists: readonly MarketList[]) {
  let nowMs = 0;
  let loads = 0;
  const lines: string[] = [];
  const table = new MarketTable({
    ...{ title: 'Binance', monotonicMs: () => nowMs },
    load: async () => lists[Math.min(loads++, lists.length - 1)] as MarketList,
    log: { warn: (fields, message) => void lines.push(`${JSON.stringify(fields)} ${message}`) },
  });
  /** An hour later the list is read again, in the background. */
  const readAgain = async (): Promise<void> => {
    nowMs += HOUR_MS;
    await table.find('BTCUSDT');
    await new Promise((done) => setTimeout(done));
  };
  return { table, lines, readAgain };
}

test.each([
  ['is listed no more', listOf(['BTCUSDT']), 'it is listed there no more'],
  ['cannot be read any more', listOf(['BTCUSDT'], ['ETHUSDT']), 'its rules there cannot be read any more'],
])('a market that %s can be closed by the rules that it had', async (_, later, noEntries) => {
  const { table, readAgain } = open(listOf(['BTCUSDT', 'ETHUSDT']), later);
  expect((await table.find('ETHUSDT')).noEntries).toBeUndefined();
  await readAgain();
  expect(await table.find('ETHUSDT')).toEqual({ ...marketOf('ETHUSDT'), noEntries });
});

test('a market that is listed again takes entries again', async () => {
  const both = listOf(['BTCUSDT', 'ETHUSDT']);
  const { table, readAgain } = open(both, listOf(['BTCUSDT']), both);
  await table.find('ETHUSDT');
  await readAgain();
  await readAgain();
  expect(await table.find('ETHUSDT')).toEqual(marketOf('ETHUSDT'));
});

test('a market that could never be read is refused by name, and told once', async () => {
  const { table, lines, readAgain } = open(listOf(['BTCUSDT'], ['ETHUSDT']));
  await expect(table.find('ETHUSDT')).rejects.toThrow(UnknownMarket);
  await expect(table.find('ETHUSDT')).rejects.toThrow('with rules that Signalbox cannot read');
  await readAgain();
  expect(lines).toEqual([expect.stringContaining('["ETHUSDT"]')]);
});

/** A venue whose tick is 1 at first and one more each time that it is asked. */
function growingTicks() {
  let nowMs = 0;
  let loads = 0;
  const table = new MarketTable({
    ...{ title: 'Venue', monotonicMs: () => nowMs, log: { warn: () => {} } },
    load: async () => ({
      ...listOf([]),
      markets: new Map([['AUSDT', { ...marketOf('AUSDT'), tickSize: decimal(++loads) }]]),
    }),
  });
  const tickAfter = async (minutes: number): Promise<string> => {
    nowMs += minutes * 60_000;
    await table.find('AUSDT');
    return toText((await table.find('AUSDT')).tickSize);
  };
  return { table, tickAfter };
}

test('rules are read again after an hour', async () => {
  const { tickAfter } = growingTicks();
  expect([await tickAfter(0), await tickAfter(59), await tickAfter(1)]).toEqual(['1', '1', '2']);
});

test('what a venue has refused makes its rules be read again, at most once a minute', async () => {
  const { table, tickAfter } = growingTicks();
  await tickAfter(0);
  table.doubt();
  expect(await tickAfter(1)).toBe('1');
  table.doubt();
  table.doubt();
  expect(await tickAfter(0)).toBe('2');
});
