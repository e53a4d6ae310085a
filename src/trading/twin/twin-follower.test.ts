// What a twin is told of the live desk: signals and the owner's closes, in order, and no failure of a twin reaches the live trade.

import { beforeEach, describe, expect, test } from 'vitest';
import type { Journal, NewTrade, OutcomeStep, SendingStep } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import type { SignalSource } from '../signal.ts';
import type { Quote } from '../venue.ts';
import { followedJournal } from './followed-journal.ts';
import { TwinFollower, type TwinFollowerParts } from './twin-follower.ts';

const QUOTE: Quote = { bid: decimal('99'), ask: decimal('101'), atMs: 1 };

let told: string[];
let troubles: string[];
/** The names of the steps that fail. */
let failing: Set<string>;
let journal: Journal;
let follower: TwinFollower;

const step = async <T>(name: string, line: string, result: T): Promise<T> => {
  if (failing.has(name)) throw new Error(`no ${name}`);
  told.push(line);
  return result;
};

beforeEach(() => {
  [told, troubles, failing] = [[], [], new Set()];
  const parts: TwinFollowerParts = {
    mode: 'live',
    accounts: ['main', 'scalp'].map((account) => ({
      ...{
        exchange: 'binance' as const,
        account,
        quote(market) {
          if (failing.has('quote at once')) throw new Error('no quote at once');
          return step('quote', `quote ${account} ${market}`, QUOTE);
        },
      },
    })),
    marks: {
      begin: (trades) => step('begin', `begin ${trades.map(({ tradeId }) => tradeId)}`, undefined),
      mark: (tradeId, moment) => step('mark', `mark ${tradeId} ${moment}`, undefined),
    },
    desk: {
      keepers: {
        journal: {
          accept: (trade, _, further = []) => {
            const line = [trade, ...further].map(({ requestId, mode }) => `${requestId} ${mode}`).join(' and ');
            return step('accept', `accept ${line}`, { accepted: true, seqs: numbers(7, further) });
          },
        },
      },
      dispatcher: {
        dispatch: ({ requestId, seq, order }, mode) =>
          step('dispatch', `${mode} ${requestId} ${seq}${order.notify ? ' tells' : ''}`, {
            status: 'enqueued',
          } as never),
      },
      canceler: { cancelOrder: (id) => step('cancel', `cancel ${id}`, undefined) },
    },
    timers: {
      after(_, work) {
        queueMicrotask(work);
        return () => {};
      },
    },
    mayAsk: () => !failing.has('budget'),
    noteQuote: (exchange, market) => void told.push(`note ${exchange} ${market}`),
    onTrouble: (what, error) => void troubles.push(`${what}: ${(error as Error).message}`),
  };
  follower = new TwinFollower(parts);
  const live = {
    accept: async (_: NewTrade, __: number, further: readonly NewTrade[]) => ({
      ...{ accepted: true, seqs: numbers(100, further) },
    }),
    sending: async () => {},
    record: async () => ({}),
  };
  journal = followedJournal(live as unknown as Journal, [follower]);
});

const trade = (requestId: string, more: Partial<NewTrade> = {}): NewTrade => ({
  ...{ requestId, receivedAtMs: 5, source: 'webhook', keyLabel: 'tv', mode: 'live', account: 'main' },
  order: {
    ...{ exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', market: 'BTCUSDT', quantity: decimal('1') },
    notify: { chat: '1' } as never,
  },
  ...more,
});
/** With gaps, as a journal may number its rows that several write at once. */
const numbers = (first: number, further: readonly NewTrade[]): [number, ...number[]] => [
  first,
  ...further.map((_, index) => first + 10 * (index + 1)),
];
const sending = (seq: number): SendingStep =>
  ({ seq, exchange: 'binance', account: 'main', request: { market: 'BTCUSDT' } }) as SendingStep;

test('a signal is traded by the twin after the live one is on disk, tells nobody, and both moments are marked', async () => {
  await journal.accept(trade('a'), 1000);
  await journal.sending(sending(100));
  await follower.idle();
  expect(told.filter((line) => line === 'quote main BTCUSDT')).toHaveLength(2);
  expect(told.filter((line) => !line.startsWith('quote'))).toEqual([
    ...['begin a', 'mark a accepted', 'note binance BTCUSDT'],
    ...['accept a paper', 'async a 7', 'mark a sent'],
  ]);
  expect(troubles).toEqual([]);
});

test('the trades of one signal on several accounts are one request of the twin, those on paper left out', async () => {
  await journal.accept(trade('a', { mode: 'paper' }), 1000, [trade('a.2'), trade('a.3', { account: 'scalp' })]);
  await journal.sending(sending(100));
  await journal.sending({ ...sending(120), account: 'scalp' });
  await follower.idle();
  expect(told.filter((line) => !line.startsWith('quote') && !line.startsWith('note'))).toEqual([
    ...['begin a.2,a.3', 'mark a.2 accepted', 'mark a.3 accepted', 'accept a.2 paper and a.3 paper'],
    ...['async a.2 7', 'async a.3 17', 'mark a.3 sent'],
  ]);
});

test.each<[SignalSource, boolean]>([
  ['webhook', true],
  ['tradingview', true],
  ['email', true],
  ['script', true],
  ['owner', true],
  ['liquidation', false],
  ['stop-loss', false],
  ['trailing-stop', false],
])('what comes from %s is followed: %s', async (source, isFollowed) => {
  await journal.accept(trade('a', { source }), 1000);
  await follower.idle();
  expect(told.includes('accept a paper')).toBe(isFollowed);
});

test('an account without a twin, or of another mode, is not followed', async () => {
  await journal.accept(trade('a', { account: 'third' }), 1000);
  await journal.accept(trade('b', { mode: 'testnet' }), 1000);
  await follower.idle();
  expect(told).toEqual([]);
});

test('a trade that sends several orders is marked with the first', async () => {
  await journal.accept(trade('a'), 1000);
  await journal.sending(sending(100));
  await journal.sending(sending(100));
  await follower.idle();
  expect(told.filter((line) => line === 'mark a sent')).toHaveLength(1);
});

test.each(['canceled', 'expired', 'filled'] as const)('an order that is %s at the venue', async (state) => {
  await journal.record({ order: { clientOrderId: 'o', state } } as unknown as OutcomeStep);
  await follower.idle();
  expect(told).toEqual(state === 'filled' ? [] : ['cancel o']);
});

describe('a failure of the twin', () => {
  test.each([
    ['quote', ['begin a', 'accept a paper', 'async a 7']],
    ['quote at once', ['begin a', 'accept a paper', 'async a 7']],
    ['begin', []],
    ['accept', ['begin a', 'mark a accepted']],
    ['dispatch', ['begin a', 'mark a accepted', 'accept a paper']],
    ['cancel', ['begin a', 'mark a accepted', 'accept a paper', 'async a 7']],
  ])('of its %s is told, and the live trade goes its way', async (name, lines) => {
    failing.add(name);
    expect(await journal.accept(trade('a'), 1000)).toEqual({ accepted: true, seqs: [100] });
    expect(await journal.record({ order: { clientOrderId: 'o', state: 'canceled' } } as never)).toEqual({});
    await follower.idle();
    expect(told.filter((line) => !/^(quote|note|cancel)/.test(line))).toEqual(lines);
    expect(troubles).toEqual([expect.stringContaining(`no ${name}`)]);
    failing.clear();
    await journal.accept(trade('b'), 1000);
    await follower.idle();
    expect(told.at(-1)).toBe('async b 7');
  });
});

test('a journal that refuses tells the twin nothing', async () => {
  const live = { accept: async () => ({ accepted: false, cause: 'resend', originalRequestId: 'x' }) };
  const refusing = followedJournal(live as unknown as Journal, [follower]);
  await refusing.accept(trade('a'), 1000);
  await follower.idle();
  expect(told).toEqual([]);
});

test('where the venue has been asked often enough, a trade goes without marks', async () => {
  failing.add('budget');
  await journal.accept(trade('a'), 1000);
  await journal.sending(sending(100));
  await follower.idle();
  expect(told).toEqual(['begin a', 'accept a paper', 'async a 7']);
  expect(troubles).toEqual([]);
});
