// A data folder that was restored from a backup, at a venue where trading went on: nothing is sent a second time, old books are
// not believed, and no signal trades before the owner says so.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toText } from '../../src/trading/decimal.ts';
import { commandLineHere } from '../cli/command-line.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { START_VENUE } from '../support/emulated-venues/start-venue.ts';
import { openLiveGateway } from '../support/live-accounts-gateway.ts';

type Trade = { readonly status: string; readonly error?: string };

/** A live account at an emulated venue, on a data folder that can be backed up and restored. */
async function openDesk(exchange: 'binance' | 'bybit' | 'mexc') {
  const emulated = await START_VENUE[exchange]();
  emulated.market.setPrice('BTCUSDT', '50000');
  closeAtEnd(() => emulated.close());
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-restored-'));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const start = async (name: string) => {
    const gateway = await openLiveGateway({ venues: { [exchange]: emulated }, dataDir: join(folder, name) });
    const statusOf = async (requestId: string): Promise<Trade> =>
      (await gateway.read(`/trades/${requestId}`)).result as Trade;
    let isClosed = false;
    const close = async (): Promise<void> => {
      if (!isClosed) await gateway.close();
      isClosed = true;
    };
    closeAtEnd(close);
    const send = async (fields: object) =>
      (await gateway.signal({ exchange, ...fields })) as unknown as {
        readonly status: number;
        readonly requestId: string;
        readonly error?: string;
      };
    return { ...gateway, statusOf, send, close };
  };
  const cli = commandLineHere({ DATA_DIR: join(folder, 'first') });
  return {
    emulated,
    start,
    backUp: () => cli.done('backup', '--to', join(folder, 'backup.tar.gz')),
    restore: () => cli.done('restore', join(folder, 'backup.tar.gz'), '--to', join(folder, 'second')),
    orders: () => emulated.market.orders.map(({ side, executed }) => `${side} ${toText(executed)}`),
    held: () =>
      emulated.market.account
        .heldPositions('BTCUSDT')
        .map(({ quantity }) => toText(quantity))
        .join(),
  };
}

test.each(['binance', 'bybit', 'mexc'] as const)(
  '%s: what waited at the backup and was sent after it is not sent again',
  async (exchange) => {
    const { emulated, start, backUp, restore, orders, held } = await openDesk(exchange);
    const first = await start('first');
    const opened = await first.send({});
    await expect.poll(() => first.statusOf(opened.requestId), { timeout: 15_000 }).toMatchObject({ status: 'Filled' });
    emulated.faults.maintenance = true;
    // An exit waits for its venue as long as a day, an entry for a minute: both wait at the time of the backup. What the owner
    // closes himself passes every switch, and never expires.
    const { result } = (await first.post('/positions/close', {
      positions: [`${exchange}:BTCUSDT:LONG`],
    })) as unknown as {
      readonly result: readonly { readonly requestId: string }[];
    };
    const exit = { requestId: String(result[0]?.requestId) };
    const entry = await first.send({ quantity: 0.02, idempotencyKey: randomUUID() });
    await backUp();
    emulated.faults.maintenance = false;
    for (const { requestId } of [exit, entry])
      await expect.poll(() => first.statusOf(requestId), { timeout: 20_000 }).toMatchObject({ status: 'Filled' });
    await first.close();
    const sent = ['BUY 0.01', 'SELL 0.01', 'BUY 0.02'];
    expect([orders(), held()]).toEqual([sent, '0.02']);

    await restore();
    const second = await start('second');
    for (const { requestId } of [exit, entry]) {
      await expect.poll(() => second.statusOf(requestId), { timeout: 20_000 }).toMatchObject({ status: 'Expired' });
      expect((await second.statusOf(requestId)).error).toContain('unfinished in the backup');
    }
    expect([orders(), held()]).toEqual([sent, '0.02']);
    const told = second.alarms().join('\n');
    expect(told).toContain('This data folder was restored on');
    expect(told).toContain('has expired: it was unfinished in the backup');
    // The books are those of the venue, not those of the backup.
    await expect
      .poll(async () => (await second.read('/positions')).result, { timeout: 20_000 })
      .toMatchObject([{ side: 'LONG', quantity: 0.02 }]);

    // What came in before is not known any more, so it is not the memory that refuses it.
    const again = await second.send({ quantity: 0.02, idempotencyKey: randomUUID() });
    expect([again.status, again.error]).toMatchObject([503, expect.anything()]);
    expect(orders()).toEqual(sent);
    await second.put('/admin/kill-switch', { active: false });
    const fresh = await second.send({ quantity: 0.01, idempotencyKey: randomUUID() });
    await expect.poll(() => second.statusOf(fresh.requestId), { timeout: 15_000 }).toMatchObject({ status: 'Filled' });
    expect(second.alarms().join()).not.toContain('This data folder was restored on');
  },
  90_000,
);

test('a kill switch that was to close positions at the time of the backup closes nothing after a restore', async () => {
  const { emulated, start, backUp, restore, orders, held } = await openDesk('binance');
  const first = await start('first');
  const open = async () => {
    const { requestId } = await first.send({ strategy: 'ema', idempotencyKey: randomUUID() });
    await expect.poll(() => first.statusOf(requestId), { timeout: 15_000 }).toMatchObject({ status: 'Filled' });
  };
  await open();
  emulated.faults.maintenance = true;
  const SWITCHES = ['/admin/kill-switch', '/admin/restrictions/strategy/ema/kill-switch'];
  const thrown = SWITCHES.map((path) => first.put(path, { active: true, flatten: true }));
  await expect
    .poll(async () => (await first.read('/admin/restrictions')).result)
    .toMatchObject([{ killSwitch: { flatten: true } }]);
  await backUp();
  emulated.faults.maintenance = false;
  await Promise.all(thrown);
  await expect.poll(held, { timeout: 20_000 }).toBe('');
  for (const path of SWITCHES) await first.put(path, { active: false });
  await open();
  await first.close();
  const sent = orders();
  await restore();
  const second = await start('second');
  // In the lane of the market: behind whatever the start has put there.
  await second.compare();
  expect([orders(), held()]).toEqual([sent, '0.01']);
  expect((await second.read('/admin/kill-switch')).result).toMatchObject({ active: true, scope: 'all' });
}, 60_000);
