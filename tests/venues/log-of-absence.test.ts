// What the log says while a venue is away: that it is, and then ever less often.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
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
    gateway.emulated.faults.maintenance = true;
    gateway.emulated.faults.cutStreams();
    await gateway.send({ action: 'CLOSE_LONG' });
    await sleep(12_000);
    const looks = lines.filter((line) => line.includes('cannot be looked at'));
    const said = looks.map((line) => (JSON.parse(line) as { msg: string }).msg.replace(/sbx\w+/, '…'));
    expect(said.sort()).toEqual(['the order … cannot be looked at', 'the stops at the venue cannot be looked at']);
    expect(looks.join('')).not.toContain('"stack"');
  } finally {
    gateway.emulated.faults.clear();
    await gateway.close();
  }
}, 60_000);
