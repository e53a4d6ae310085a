// Whose money an order of the owner's chat would spend: said first, for each account, before anything is sent.

import { expect, test } from 'vitest';
import type { VenueMode } from '../venue.ts';
import { askToOrder, type ForeseenTicket, orderNow, type TicketParts } from './ordering.ts';

type Foreseen = ForeseenTicket['accounts'][number];

const onAccount = (mode: VenueMode, fields: Partial<Foreseen> = {}): Foreseen => ({
  ...{ exchange: 'binance', account: 'main', mode, market: 'BTCUSDT' },
  orders: [{ leg: 'open', side: 'BUY', positionSide: 'LONG', quantity: 0.01, price: null }],
  ...{ notional: 680, price: 68_000, leverage: null, protection: null, cancels: [], warnings: [] },
  ...{ margin: null, risk: null, cautions: [] },
  ...fields,
});

function chatOver(...accounts: readonly Foreseen[]) {
  const placed: unknown[] = [];
  const parts: TicketParts = {
    tickets: {
      check: async () => ({ outcome: 'would_trade', code: null, error: null, accounts, warnings: [] }),
      place: async (fields) => {
        placed.push(fields);
        return { status: 202, body: {} };
      },
    },
    venues: accounts,
    newRequestId: () => 'r',
  };
  const linesOf = async (...words: string[]): Promise<string[]> =>
    (await askToOrder('buy', words, 'telegram:1', parts)).text.split('\n');
  return { parts, placed, linesOf };
}

test.each([
  ['live', '<b>LIVE, REAL MONEY</b> on binance'],
  ['testnet', '<b>TESTNET</b> on binance'],
  ['paper', '<b>PAPER</b> on binance'],
] as const)('an order on a %s account says so in its first line', async (mode, line) => {
  const { linesOf, placed } = chatOver(onAccount(mode));
  expect(await linesOf('BTCUSDT', '0.01')).toEqual([
    'Really send this order?',
    line,
    'BUY 0.01 BTCUSDT at market, about 68000, 680 USDT',
  ]);
  expect(placed).toEqual([]);
});

test('what it binds, what it loses at its stop and what may not be meant is said before the yes', async () => {
  const risk = { loss: 13.604, percentOfEquity: 12.345 };
  const { linesOf } = chatOver(onAccount('paper', { margin: 34, risk, cautions: ['risk: <much>'] }));
  expect((await linesOf('BTCUSDT', '0.01')).slice(3)).toEqual([
    'Binds about 34 USDT',
    'Loses about 13.6 USDT at its stop, 12.35 % of the account',
    '<b>Caution:</b> risk: &lt;much&gt;',
  ]);
});

test('an order that reaches several accounts says of each whose money it is', async () => {
  const { linesOf } = chatOver(onAccount('testnet'), onAccount('live', { exchange: 'bybit', account: 'scalp' }));
  const lines = await linesOf('BTCUSDT', '0.01');
  expect(lines.filter((line) => line.startsWith('<b>'))).toEqual([
    '<b>TESTNET</b> on binance',
    '<b>LIVE, REAL MONEY</b> on bybit:scalp',
  ]);
});

test('what is sent after the yes is what was shown, on the account that was named', async () => {
  const { parts, placed } = chatOver(onAccount('live', { exchange: 'bybit', account: 'scalp' }));
  const asked = await askToOrder('buy', ['btcusdt', '0.01', 'on', 'bybit:scalp', 'stop', '2%'], 'telegram:1', parts);
  if (!('change' in asked)) throw new Error(asked.text);
  expect(await orderNow(asked.change, 'telegram:1', parts)).toContain('Enqueued');
  expect(placed).toEqual([
    {
      ...{ exchange: 'bybit', account: 'scalp', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 },
      stopLoss: { percent: 2 },
    },
  ]);
});
