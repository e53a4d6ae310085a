// Exits right behind orders of which the venue has not told the end: every one closes what it was to close, and nothing of others.

import { describe, expect, test } from 'vitest';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway } from '../support/stops-gateway.ts';

const ASYNC = { settings: { QUEUE_MODE: 'async' } };

describe.each(STOP_VENUES)('$exchange', (row) => {
  test('an exit right behind an entry that is matched a moment after it was acknowledged', async () => {
    const gateway = await openStopsGateway(row, ASYNC);
    gateway.emulated.market.fillDelayMs = 1000;
    await gateway.send();
    await gateway.send({ action: 'CLOSE_LONG' });
    await eventually(async () =>
      expect(await gateway.trades()).toEqual(['webhook LONG 0.01 Filled', 'webhook CLOSE_LONG 0.01 Filled']),
    );
    expect([gateway.held(), gateway.orders(), await gateway.booked()]).toEqual([
      '',
      ['BUY 0.01 FILLED', 'SELL 0.01 FILLED'],
      [],
    ]);
  });

  test('an exit of a strategy whose limit entry has just filled, before its report is booked', async () => {
    const gateway = await openStopsGateway(row, ASYNC);
    await gateway.outcome({ strategy: 'b' });
    await gateway.outcome({ strategy: 'a', price: 49_000 });
    const { faults, market } = gateway.emulated;
    // What tells of the fill is late; the exit is not.
    faults.delay(row.order, 1500, 'before', 1);
    market.setPrice(MARKET, '48900');
    await gateway.send({ strategy: 'a', action: 'CLOSE_LONG' });
    const ends = ['webhook LONG 0.01 Filled b', 'webhook LONG 0.01 Filled a', 'webhook CLOSE_LONG 0.01 Filled a'];
    await eventually(async () => expect(await gateway.trades()).toEqual(ends));
    expect([gateway.held(), await gateway.booked()]).toEqual(['LONG 0.01', ['LONG 0.01']]);
  });

  test('an exit while nobody can read what filled a limit entry of another strategy', async () => {
    const gateway = await openStopsGateway(row, ASYNC);
    await gateway.outcome({ strategy: 'b' });
    await gateway.outcome({ strategy: 'a', price: 49_000 });
    const { faults, market } = gateway.emulated;
    faults.loseEvents = 1000;
    faults.statusAfterAccept(row.fills, 500, 1000);
    market.setPrice(MARKET, '48900');
    await gateway.send({ strategy: 'b', action: 'CLOSE_LONG' });
    await eventually(() => expect(gateway.held()).toBe('LONG 0.01'));
    // The other one waits for that: what is held may not be its own.
    await gateway.send({ strategy: 'a', action: 'CLOSE_LONG' });
    faults.clear();
    await eventually(async () => expect((await gateway.trades()).at(-1)).toBe('webhook CLOSE_LONG 0.01 Filled a'));
    expect([gateway.held(), gateway.orders()]).toEqual([
      '',
      ['BUY 0.01 FILLED', 'BUY 0.01 FILLED', 'SELL 0.01 FILLED', 'SELL 0.01 FILLED'],
    ]);
  });

  test('an exit behind that of another strategy, which was taken and cannot be read', async () => {
    const gateway = await openStopsGateway(row, ASYNC);
    await gateway.outcome({ strategy: 'a' });
    await gateway.outcome({ strategy: 'b', quantity: 0.02 });
    const { faults } = gateway.emulated;
    faults.loseEvents = 1000;
    faults.dropAnswerAfterAccept(row.orders);
    faults.statusAfterAccept(row.order, 500, 1000);
    await gateway.send({ strategy: 'a', action: 'CLOSE_LONG' });
    await gateway.send({ strategy: 'b', action: 'CLOSE_LONG', quantity: 0.02 });
    await eventually(() => expect(gateway.alarms()).toMatch(/CLOSE_LONG 0.02 .* waits|cannot be reached/));
    faults.clear();
    await eventually(async () =>
      expect((await gateway.trades()).slice(2)).toEqual([
        'webhook CLOSE_LONG 0.01 Filled a',
        'webhook CLOSE_LONG 0.02 Filled b',
      ]),
    );
    expect([gateway.held(), await gateway.booked()]).toEqual(['', []]);
  });

  test('an exit of a strategy while a limit exit of another has filled in part, before that is booked', async () => {
    const gateway = await openStopsGateway(row, ASYNC);
    await gateway.outcome({ strategy: 'a' });
    await gateway.outcome({ strategy: 'b', quantity: 0.02 });
    await gateway.outcome({ strategy: 'a', action: 'CLOSE_LONG', price: 51_000 });
    const { faults, market } = gateway.emulated;
    faults.loseEvents = 1000;
    market.setLiquidity(MARKET, '0.004');
    market.setPrice(MARKET, '51100');
    market.setPrice(MARKET, '50000');
    market.setLiquidity(MARKET);
    await gateway.send({ strategy: 'b', action: 'CLOSE_LONG', quantity: 0.02 });
    await eventually(async () => expect((await gateway.trades()).at(-1)).toBe('webhook CLOSE_LONG 0.02 Filled b'));
    expect([gateway.held(), await gateway.booked()]).toEqual(['LONG 0.006', ['LONG 0.006']]);
  });
});
