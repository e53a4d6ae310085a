// Throwing the kill switch withdraws resting entries and, where it says so, closes every position: until the venue confirms it,
// after a restart too, and with an alarm for a fill that came first.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { eventually, expectFaults, expectFilled, freshGateway } from '../webhook/answers.ts';

const turn = (gateway: TestGateway, body: object): Promise<Sent> => gateway.request('PUT', '/admin/kill-switch', body);
const held = async (gateway: TestGateway): Promise<string[]> =>
  (await gateway.request('GET', '/positions')).body.result.map(
    (row: Record<string, unknown>) => `${row.key} ${row.quantity}`,
  );
const statusOf = async (gateway: TestGateway, { body }: Sent): Promise<string> =>
  (await gateway.trade(body.requestId)).status;

describe('throwing it', () => {
  let gateway: TestGateway;
  let entries: Sent[];
  let target: Sent;
  beforeAll(async () => {
    gateway = await freshGateway({ accounts: ['scalp'] });
  });
  const rest = async (): Promise<void> => {
    await turn(gateway, { active: false });
    await gateway.request('POST', '/positions/close', { all: true });
    await gateway.request('POST', '/orders/cancel', { all: true });
    expectFilled(await gateway.send({ symbol: 'SOLUSDT', quantity: 2 }));
    target = await gateway.send({ action: 'CLOSE_LONG', symbol: 'SOLUSDT', quantity: 1, price: 100_000 });
    entries = [
      await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 20 }),
      await gateway.send({ symbol: 'ETHUSDT', quantity: 1, price: 100_000, action: 'SHORT', account: 'scalp' }),
    ];
    for (const { body } of [target, ...entries]) expect(body.tradeResult.status).toBe('Submitted');
  };
  const statuses = () => Promise.all([target, ...entries].map((sent) => statusOf(gateway, sent)));

  it.each(['all', 'entries'])(
    'with scope %s withdraws entries, leaves closing orders, and tells which',
    async (scope) => {
      await rest();
      const { status, body } = await turn(gateway, { active: true, scope });
      expect(status).toBe(200);
      expect(body.result).toEqual({ active: true, scope, cancelEntries: true, flatten: false, reason: null });
      const told = body.canceled.map((row: Record<string, unknown>) => `${row.requestId} ${row.outcome} ${row.status}`);
      expect(told.sort()).toEqual(entries.map((sent) => `${sent.body.requestId} canceled Canceled`).sort());
      expect(body.closed).toEqual([]);
      expect(await statuses()).toEqual(['Submitted', 'Canceled', 'Canceled']);
      expect(await held(gateway)).toEqual(['binance:SOLUSDT:LONG 2']);
      const story = await gateway.trade(entries[0]?.body.requestId);
      expect(story.error).toBe('canceled by the kill switch');
    },
  );

  it('with cancelEntries false leaves them', async () => {
    await rest();
    const { body } = await turn(gateway, { active: true, cancelEntries: false });
    expect([body.canceled, body.result.cancelEntries]).toEqual([[], false]);
    expect(await statuses()).toEqual(['Submitted', 'Submitted', 'Submitted']);
    const again = await turn(gateway, { active: true });
    expect(again.body.canceled).toHaveLength(2);
  });

  it('with flatten closes every position too', async () => {
    await rest();
    const { body } = await turn(gateway, { active: true, flatten: true });
    expect(body.canceled).toHaveLength(2);
    expect(body.closed).toMatchObject([
      { key: 'binance:SOLUSDT:LONG', status: 'Filled', executedQty: 2, success: true },
    ]);
    expect(await gateway.trade(body.closed[0].requestId)).toMatchObject({ source: 'owner', keyLabel: 'kill switch' });
    expect(await held(gateway)).toEqual([]);
    expect(await statuses()).toEqual(['Canceled', 'Canceled', 'Canceled']);
  });

  it('off does neither, and shows what on would do', async () => {
    await rest();
    const { body } = await turn(gateway, { active: false });
    expect(body).toMatchObject({ canceled: [], closed: [] });
    expect(body.result).toEqual({ active: false, scope: 'all', cancelEntries: true, flatten: false, reason: null });
    expect(await statuses()).toEqual(['Submitted', 'Submitted', 'Submitted']);
  });

  it.each([
    [{ active: true, cancelEntries: 'yes' }, 'cancelEntries'],
    [{ active: true, flatten: 1 }, 'flatten'],
  ])('%j is refused', async (body, field) => {
    expectFaults(await turn(gateway, body), field);
    expect(gateway.controls.current().killSwitch.active).toBe(false);
  });
});

describe('a venue that does not confirm', () => {
  const restingOn = async (options: { readonly flatten?: boolean } = {}) => {
    const venue = createScriptedVenue('binance');
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ rest: true });
    const entry = await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 90 });
    const { clientOrderId } = (await gateway.trade(entry.body.requestId)).orders[0];
    venue.down = 'not-sent';
    const thrown = await turn(gateway, { active: true, ...options });
    return { venue, gateway, entry, clientOrderId, thrown };
  };

  it('is asked again until it does, and the owner hears of it', async () => {
    const { venue, gateway, entry, thrown } = await restingOn();
    expect(thrown.body.canceled).toMatchObject([{ outcome: 'unreachable', status: 'Submitted' }]);
    expect(gateway.deskAlarms).toEqual([expect.stringContaining('1 opening order could NOT be withdrawn yet')]);
    venue.down = undefined;
    expect(await gateway.until(entry.body.requestId, 'Canceled')).toMatchObject({ executedQty: 0 });
  });

  it('is not asked any more when the switch is off', async () => {
    const { venue, gateway, entry } = await restingOn();
    await turn(gateway, { active: false });
    venue.down = undefined;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await statusOf(gateway, entry)).toBe('Submitted');
  });

  it('is asked again after a restart while the switch is on', async () => {
    const { venue, gateway, entry } = await restingOn();
    await gateway.close();
    venue.down = undefined;
    const again = await freshGateway({ venues: [venue], dataDir: gateway.dataDir });
    expect(await again.until(entry.body.requestId, 'Canceled')).toMatchObject({ error: 'canceled by the kill switch' });
  });

  it('and fills the entry first leads to an alarm; the position stays', async () => {
    const { venue, gateway, entry, clientOrderId } = await restingOn();
    venue.fill(clientOrderId);
    await gateway.until(entry.body.requestId, 'Filled');
    expect(gateway.deskAlarms.at(-1)).toBe(
      'An entry filled although the kill switch is on: 1 SOLUSDT LONG on binance (paper); the position is open, close it if you do not want it',
    );
    venue.down = undefined;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await held(gateway)).toEqual(['binance:SOLUSDT:LONG 1']);
    expect(gateway.deskAlarmsOver).not.toContain(`kill-switch fill ${entry.body.requestId}`);
  });

  it('and fills the entry first: with flatten the position is closed, once', async () => {
    const { venue, gateway, entry, clientOrderId } = await restingOn({ flatten: true });
    venue.fill(clientOrderId);
    await gateway.until(entry.body.requestId, 'Filled');
    expect(gateway.deskAlarms.some((text) => text.includes('the position is being closed'))).toBe(true);
    // The venue comes back only after several tries.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    venue.down = undefined;
    await eventually(
      () => held(gateway),
      (positions) => positions.length === 0,
    );
    const closes = venue.sent.filter(({ reduceOnly }) => reduceOnly);
    expect(closes).toHaveLength(1);
    // Whoever asks whether all is well hears no more of it.
    expect(gateway.deskAlarmsOver).toContain(`kill-switch fill ${entry.body.requestId}`);
    const trades = (await gateway.request('GET', '/trades?limit=100')).body.result;
    expect(trades.filter(({ source }: { source: string }) => source === 'owner')).toHaveLength(1);
  });
});
