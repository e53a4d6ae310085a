// What every paper ledger must do: entries whole or not at all, in order, each id once, and exact books after a restart.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  PaperAccountName,
  PaperEntry,
  PaperFillRow,
  PaperLedger,
  PaperOrderRow,
} from '../../src/adapters/venues/paper/ledger.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { type Decimal, decimal, plus, toText } from '../../src/trading/decimal.ts';
import { START_MS } from './sample-trades.ts';

export interface OpenPaperLedger {
  readonly ledger: PaperLedger;
  reopen(): Promise<PaperLedger>;
  close(): Promise<void>;
}

const MAIN = { exchange: 'binance', account: 'main' } as const;
const BYBIT = { exchange: 'bybit', account: 'main' } as const;
const SCALP = { exchange: 'binance', account: 'scalp' } as const;

const account = (version: number, changes: Partial<PaperEntry['account']> = {}): PaperEntry['account'] => ({
  exchange: 'binance',
  account: 'main',
  balance: '100000.000000000001',
  nextOrderNumber: version,
  matchedUntilMs: START_MS,
  version,
  ...changes,
});

const orderRow = (changes: Partial<PaperOrderRow> = {}): PaperOrderRow => ({
  exchange: 'binance',
  account: 'main',
  clientOrderId: 'sbx1',
  orderId: 'paper-1',
  market: 'BTCUSDT',
  side: 'BUY',
  positionSide: 'LONG',
  reduceOnly: false,
  status: 'submitted',
  quantity: '0.000000000001',
  price: '99999999999999999999.999999999999',
  executedQuantity: '0',
  averagePrice: null,
  reason: null,
  createdAtMs: START_MS,
  updatedAtMs: START_MS,
  ...changes,
});

const fillRow = (changes: Partial<PaperFillRow> = {}): PaperFillRow => ({
  exchange: 'binance',
  account: 'main',
  fillId: 'f1',
  clientOrderId: 'sbx1',
  quantity: '0.5',
  price: '68000.1',
  fee: '0.000000000001',
  realizedPnl: '-12.5',
  atMs: START_MS,
  ...changes,
});

const position = {
  exchange: 'binance',
  account: 'main',
  market: 'BTCUSDT',
  side: 'LONG',
  quantity: '0.5',
  entryPrice: '1.1',
  cost: '0.55',
} as const;
const leverage = { exchange: 'binance', account: 'main', market: 'BTCUSDT', leverage: 20 } as const;

export function describePaperLedger(name: string, open: () => Promise<OpenPaperLedger>): void {
  describe(name, () => {
    let opened: OpenPaperLedger;
    let ledger: PaperLedger;
    beforeEach(async () => {
      opened = await open();
      ledger = opened.ledger;
    });
    afterEach(() => opened.close());

    test('adds up the funding of an account to the last digit, and that of no other', async () => {
      const paid = (name: PaperAccountName, version: number, amounts: readonly Decimal[]): Promise<unknown> =>
        ledger.commit({
          account: account(version, name),
          funding: amounts.map((amount, at) => ({
            ...{ ...name, atMs: version * 1_000_000 + at, market: 'BTCUSDT', side: 'LONG' as const },
            ...{ quantity: '1', price: '1', rate: '0.0001', amount: toText(amount) },
          })),
        });
      expect(await ledger.fundingTotal(MAIN)).toBe('0');
      const units = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
      const amount = fc.oneof(units, fc.bigInt({ min: -9n, max: 9n }), fc.constant(0n), fc.constant(-(10n ** 12n)));
      let version = 0;
      let total = 0n;
      await paid(SCALP, 1, [decimal('1000.5')]);
      await fc.assert(
        fc.asyncProperty(
          fc.array(amount as fc.Arbitrary<Decimal>, { minLength: 1, maxLength: 40 }),
          async (amounts) => {
            version += 1;
            await paid(MAIN, version, amounts);
            total += amounts.reduce((sum, each) => sum + each, 0n);
            expect(await ledger.fundingTotal(MAIN)).toBe(toText(total as Decimal));
          },
        ),
        { numRuns: 30 },
      );
      expect(await ledger.fundingTotal(SCALP)).toBe('1000.5');
      // More than a double counts exactly.
      const most = Array.from({ length: 10_000 }, () => decimal('0.999999999999'));
      const before = decimal(await ledger.fundingTotal(MAIN));
      await paid(MAIN, version + 1, most);
      expect(await ledger.fundingTotal(MAIN)).toBe(toText(plus(before, decimal('9999.99999999'))));
    });

    const whole = (version = 1): PaperEntry => ({
      account: account(version),
      order: { row: orderRow(), insert: true },
      fills: [fillRow()],
      position,
      leverage,
    });

    test('the books of an exchange nobody traded on are empty', async () => {
      expect(await ledger.load(MAIN)).toEqual({
        account: undefined,
        positions: [],
        leverages: [],
        openOrders: [],
      });
      expect(await ledger.findOrder(MAIN, 'sbx1')).toBeUndefined();
    });

    test('a whole entry comes back exactly after a restart', async () => {
      expect(await ledger.commit(whole())).toBe('committed');
      const again = await opened.reopen();
      expect(await again.load(MAIN)).toEqual({
        account: account(1),
        positions: [position],
        leverages: [leverage],
        openOrders: [orderRow()],
      });
      expect(await again.findOrder(MAIN, 'sbx1')).toEqual({ row: orderRow(), fills: [fillRow()] });
    });

    test.each([
      ['exchange', BYBIT],
      ['account', SCALP],
    ])('every %s has books of its own, also for the same order id', async (_, other) => {
      await ledger.commit(whole());
      const row = orderRow({ ...other, status: 'filled', reduceOnly: true });
      expect(await ledger.commit({ account: account(1, other), order: { row, insert: true } })).toBe('committed');
      const untouched = await ledger.load(other);
      expect([untouched.positions, untouched.leverages, untouched.openOrders]).toEqual([[], [], []]);
      expect(await ledger.findOrder(other, 'sbx1')).toEqual({ row, fills: [] });
      expect((await ledger.findOrder(MAIN, 'sbx1'))?.fills).toHaveLength(1);
      expect((await ledger.load(MAIN)).positions).toEqual([position]);
      const closed = { ...position, ...other, quantity: '0' };
      await ledger.commit({ account: account(2, other), position: closed, leverage: { ...leverage, ...other } });
      expect((await ledger.load(MAIN)).positions).toEqual([position]);
      expect((await ledger.load(other)).leverages).toEqual([{ ...leverage, ...other }]);
    });

    test('names every account that was opened', async () => {
      expect(await ledger.accounts()).toEqual([]);
      for (const name of [SCALP, BYBIT, MAIN]) await ledger.commit({ account: account(1, name) });
      const again = await opened.reopen();
      expect(await again.accounts()).toEqual(expect.arrayContaining([MAIN, SCALP, BYBIT]));
      expect(await again.accounts()).toHaveLength(3);
    });

    test('an order id that exists makes the whole entry a duplicate', async () => {
      await ledger.commit(whole());
      const second = { ...whole(2), order: { row: orderRow({ orderId: 'paper-2' }), insert: true } };
      const fills = [fillRow({ fillId: 'f2' })];
      expect(await ledger.commit({ ...second, fills, position: { ...position, quantity: '1' } })).toBe('duplicate');
      expect((await ledger.findOrder(MAIN, 'sbx1'))?.row.orderId).toBe('paper-1');
      expect((await ledger.findOrder(MAIN, 'sbx1'))?.fills).toEqual([fillRow()]);
      expect((await ledger.load(MAIN)).account).toEqual(account(1));
      expect((await ledger.load(MAIN)).positions).toEqual([position]);
      expect(await ledger.commit({ account: account(2) })).toBe('committed');
    });

    test.each([0, 1, 3])(
      'an entry made on other books than those on disk is stale: version %i after 1',
      async (version) => {
        await ledger.commit({ account: account(1) });
        const row = orderRow({ clientOrderId: 'sbx2' });
        const entry = { ...whole(version), order: { row, insert: true } };
        expect(await ledger.commit(entry)).toBe('stale');
        expect(await ledger.findOrder(MAIN, 'sbx2')).toBeUndefined();
        expect((await ledger.load(MAIN)).account).toEqual(account(1));
      },
    );

    test('the first entry has the version 1', async () => {
      expect(await ledger.commit({ account: account(2) })).toBe('stale');
      expect(await ledger.commit({ account: account(1) })).toBe('committed');
    });

    test('an entry after one that was not written is stale too, also when both were under way', async () => {
      await ledger.commit(whole());
      const duplicate = ledger.commit({ ...whole(2), order: { row: orderRow(), insert: true } });
      const next = ledger.commit({ account: account(3) });
      expect(await Promise.all([duplicate, next])).toEqual(['duplicate', 'stale']);
    });

    test('entries asked for at once are written in the order of the calls', async () => {
      const versions = Array.from({ length: 40 }, (_, index) => index + 1);
      const answers = await Promise.all(versions.map((version) => ledger.commit({ account: account(version) })));
      expect(new Set(answers)).toEqual(new Set(['committed']));
      expect((await ledger.load(MAIN)).account?.version).toBe(40);
    });

    test('an update changes the order, and a final one rests no longer', async () => {
      await ledger.commit(whole());
      const partly = orderRow({
        status: 'partially_filled',
        executedQuantity: '0.1',
        averagePrice: '7',
        updatedAtMs: 9,
      });
      await ledger.commit({ account: account(2), order: { row: partly, insert: false } });
      expect((await ledger.load(MAIN)).openOrders).toEqual([partly]);
      const done = { ...partly, status: 'canceled', reason: 'zurückgezogen' } as const;
      await ledger.commit({ account: account(3), order: { row: done, insert: false } });
      expect((await ledger.load(MAIN)).openOrders).toEqual([]);
      expect((await ledger.findOrder(MAIN, 'sbx1'))?.row).toEqual(done);
    });

    test('resting orders come oldest first', async () => {
      const rows = [2, 1].map((age) => orderRow({ clientOrderId: `sbx${age}`, createdAtMs: START_MS - age }));
      for (const [index, row] of [...rows].reverse().entries())
        await ledger.commit({ account: account(index + 1), order: { row, insert: true } });
      expect((await ledger.load(MAIN)).openOrders).toEqual(rows);
    });

    test('orders of one millisecond come by their numbers, also where those become longer', async () => {
      const ids = ['paper-binance-999999', 'paper-binance-1000000'];
      const rows = ids.map((orderId) => orderRow({ orderId, clientOrderId: `sbx-${orderId}` }));
      for (const [index, row] of rows.entries())
        await ledger.commit({ account: account(index + 1), order: { row, insert: true } });
      expect((await ledger.load(MAIN)).openOrders).toEqual(rows);
      expect((await ledger.ordersNamed(MAIN, 'sbx-')).map(({ row }) => row)).toEqual(rows);
    });

    test('a quantity of "0" removes the position, and only that one', async () => {
      const short = { ...position, side: 'SHORT' } as const;
      await ledger.commit({ account: account(1), position });
      await ledger.commit({ account: account(2), position: short });
      await ledger.commit({ account: account(3), position: { ...position, quantity: '0' } });
      expect((await ledger.load(MAIN)).positions).toEqual([short]);
    });

    test('the last leverage of a market holds', async () => {
      await ledger.commit({ account: account(1), leverage });
      await ledger.commit({ account: account(2), leverage: { ...leverage, leverage: 5 } });
      expect((await ledger.load(MAIN)).leverages).toEqual([{ ...leverage, leverage: 5 }]);
    });

    test('an entry whose parts cannot all be stored leaves nothing behind', async () => {
      // No column takes this leverage.
      const broken = { ...whole(), leverage: { ...leverage, leverage: Number.NaN } };
      await expect(ledger.commit(broken)).rejects.toBeInstanceOf(StorageError);
      expect(await ledger.load(MAIN)).toEqual({
        account: undefined,
        positions: [],
        leverages: [],
        openOrders: [],
      });
      expect(await ledger.findOrder(MAIN, 'sbx1')).toBeUndefined();
      expect(await ledger.commit(whole())).toBe('committed');
    });
  });
}
