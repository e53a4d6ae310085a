// What the log says while a venue is away: that it is, and then ever less often.

import { expect, test, vi } from 'vitest';
import { createLog } from '../../src/http/log.ts';
import { LIVE_VENUES, type LiveVenueRow, openLiveGateway } from '../support/live-gateway.ts';

test('a venue that is away is told once in a while, without a stack, although it is asked every second', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', name: 'test', destination: { write: (line) => void lines.push(line) } });
  const gateway = await openLiveGateway(LIVE_VENUES[0] as LiveVenueRow, { log });
  try {
    await gateway.outcome({ stopLoss: 40000 });
    await gateway.outcome({ price: 45000 });
    lines.length = 0;
    const awayMs = performance.now();
    gateway.emulated.faults.maintenance = true;
    gateway.emulated.faults.cutStreams();
    await gateway.send({ action: 'CLOSE_LONG' });
    const before = gateway.emulated.requests.length;
    const asked = (path: string): number =>
      gateway.emulated.requests.slice(before).filter((request) => request.method === 'GET' && request.path === path)
        .length;
    // Each of the two has been looked at again and again when the lines are counted.
    await vi.waitFor(
      () => {
        expect(asked('/fapi/v1/order')).toBeGreaterThan(2);
        expect(asked('/fapi/v1/openAlgoOrders')).toBeGreaterThan(2);
      },
      { timeout: 60_000, interval: 100 },
    );
    const looks = lines.filter((line) => line.includes('cannot be looked at'));
    const said = looks.map((line) => (JSON.parse(line) as { msg: string }).msg.replace(/sbx\w+/, '…'));
    expect([...new Set(said)].sort()).toEqual([
      'the order … cannot be looked at',
      'the stops at the venue cannot be looked at',
    ]);
    // Of each a second line comes after a minute, and at least two looks have failed.
    const minutes = Math.floor((performance.now() - awayMs) / 60_000);
    expect(said.length).toBeLessThanOrEqual(2 * (1 + minutes));
    expect(looks.join('')).not.toContain('"stack"');
  } finally {
    gateway.emulated.faults.clear();
    await gateway.close();
  }
}, 120_000);
