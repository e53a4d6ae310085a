// Two Signalboxes with two data folders on one account of an emulated venue, which is a mistake: neither may take away what guards the
// position of the other, both say so, and what really belongs to nobody still goes.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { openLiveGateway } from '../support/live-accounts-gateway.ts';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

const TOLD = 'has stops of a Signalbox that this data folder does not know';
const REMEDY = 'stop one of them, or give it a sub-account with a key of its own';
const CANCELED = 'Nothing has been held there for a minute, so it was canceled';

/** Sweeps come every minute. */
function passMinutes(): (minutes: number) => void {
  const elapsed = performance.now.bind(performance);
  const now = vi.spyOn(performance, 'now');
  return (minutes) => void now.mockImplementation(() => elapsed() + minutes * 61_000);
}

const listsOf = ({ emulated }: StopsGateway): number =>
  emulated.requests.filter(
    ({ method, path }) => method === 'GET' && /open(Algo)?Orders|order\/realtime|planorder\/list/.test(path),
  ).length;

describe.each(STOP_VENUES)('$exchange', (row) => {
  const { exchange } = row;
  /** MEXC keeps no ids of ours with a stop, so there one of another Signalbox is like one of the owner's. */
  const isRecognised = exchange !== 'mexc';
  afterEach(() => vi.restoreAllMocks());

  test('a second instance leaves the stop of the first, and says what is wrong', async () => {
    const first = await openStopsGateway(row);
    await first.send({ stopLoss: 49000 });
    await first.expectStops('SELL 0.01 at 49000');
    const second = await openLiveGateway({ venues: { [exchange]: first.emulated } });
    closeAtEnd(() => second.close());
    const pass = passMinutes();
    for (const minutes of [1, 2, 3]) {
      if (isRecognised) await eventually(() => expect(second.alarms().join()).toContain(TOLD));
      const before = listsOf(first);
      pass(minutes);
      // Both have swept.
      await eventually(() => expect(listsOf(first)).toBeGreaterThanOrEqual(before + 2));
    }
    await first.expectStops('SELL 0.01 at 49000');
    expect([first.everTaken(), first.held()]).toEqual([1, 'LONG 0.01']);
    if (isRecognised) expect(second.alarms().filter((text) => text.includes(REMEDY))).toHaveLength(1);
    expect(second.alarms().join()).not.toContain(CANCELED);
    first.trade(48990);
    await eventually(() => expect(first.held()).toBe(''));
  });
});

describe.each(STOP_VENUES.filter(({ exchange }) => exchange !== 'mexc'))('$exchange', (row) => {
  afterEach(() => vi.restoreAllMocks());

  test('a stop that has nothing to close at the venue goes a minute after it was found', async () => {
    const gateway = await openStopsGateway(row);
    gateway.emulated.market.placeStop({
      ...{ clientStopId: `sbx${'7'.repeat(26)}s`, symbol: MARKET, side: 'SELL', positionSide: 'BOTH' },
      ...{ quantity: decimal('0.01'), triggerPrice: decimal('49000'), waitsFor: 'fall', triggerBy: 'LAST' },
      ...{ reduceOnly: true, venueType: 'STOP_MARKET', timeInForce: 'IOC' },
    } as never);
    await gateway.restart();
    await eventually(() => expect(gateway.alarms()).toContain(TOLD));
    expect(gateway.stops()).toEqual(['SELL 0.01 at 49000']);
    passMinutes()(1);
    await gateway.expectStops();
    await eventually(() => expect(gateway.alarms()).toContain(CANCELED));
    expect(gateway.alarms()).not.toContain(TOLD);
  });
});
