// An account whose key its venue refuses (it has expired, or the address of this machine has changed), at a start and while it is
// traded: that account is shut and says so, and the others are traded and guarded.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { WEBHOOK_KEY } from '../support/live-gateway.ts';
import { freshDataDir, startGatewayProcess } from '../support/process.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

let dataDir: string;
let venues: readonly EmulatedVenue[];
beforeEach(async () => {
  dataDir = freshDataDir();
  venues = [await startBinance(), await startBybitVenue()];
  for (const { market } of venues) market.setPrice('BTCUSDT', '50000');
});
afterEach(async () => {
  await Promise.all(venues.map((venue) => venue.close()));
  rmSync(dataDir, { recursive: true, force: true });
});

const settingsOf = (prefix: string, { baseUrl, credentials }: EmulatedVenue) => ({
  ...{ [`${prefix}_MODE`]: 'live', [`${prefix}_BASE_URL`]: baseUrl },
  ...{ [`${prefix}_API_KEY`]: credentials.apiKey, [`${prefix}_API_SECRET`]: credentials.secret },
});

async function signal(url: string, fields: object) {
  const body = { apiKey: WEBHOOK_KEY, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, ...fields };
  const response = await fetch(`${url}/webhook`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

it('shuts that account alone, also with a position and a stop on it', async () => {
  const [binance, bybit] = venues as [EmulatedVenue, EmulatedVenue];
  const common = { WEBHOOK_API_KEYS: WEBHOOK_KEY, CONFIRM_FIRST_LIVE_ORDER: 'no' };
  const env = { ...common, ...settingsOf('BINANCE', binance), ...settingsOf('BYBIT', bybit) };
  const before = await startGatewayProcess({ dataDir, env });
  for (const exchange of ['binance', 'bybit'])
    expect(await signal(before.url, { exchange, stopLoss: 40_000 })).toMatchObject({ status: 200 });
  await before.kill();

  const after = await startGatewayProcess({ dataDir, env: { ...env, BINANCE_API_KEY: 'a-key-nobody-knows-any-more' } });
  const shut = /The live account binance:main is shut: Binance: .*\(-201[45]\); check the key/;
  expect(after.output()).toMatch(new RegExp(`Warning: +${shut.source}`));
  const ready = (await (await fetch(`${after.url}/ready`)).json()) as { warnings: readonly string[] };
  expect(ready.warnings).toEqual(expect.arrayContaining([expect.stringMatching(shut)]));
  expect(await signal(after.url, { exchange: 'bybit' })).toMatchObject({ status: 200 });
  const refused = await signal(after.url, { exchange: 'binance' });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.text).toMatch(/\(-201[45]\)/);
  expect(await signal(after.url, { exchange: 'bybit', action: 'CLOSE_LONG', quantity: 5 })).toMatchObject({
    status: 200,
  });
  expect(bybit.market.account.heldPositions('BTCUSDT')).toEqual([]);
  await after.stop();
});

/** What each venue says of a key that it does not take. */
const REFUSALS = {
  binance: { status: 401, body: { code: -2015, msg: 'Invalid API-key, IP, or permissions for action.' } },
  bybit: { status: 200, body: { retCode: 10010, retMsg: 'Unmatched IP', result: {} } },
  mexc: { status: 200, body: { success: false, code: 406, message: 'IP is not on the list' } },
};

describe.concurrent.each(STOP_VENUES)('$exchange, while it is traded', (row) => {
  const warnings = async (gateway: StopsGateway) =>
    (await gateway.ask<{ readonly warnings?: readonly string[] }>('/ready')).warnings?.join() ?? '';
  const shut = new RegExp(`The live account ${row.exchange}:main is shut: .*Nothing is opened on it`);

  test('the account is shut with the first refusal, and opened again when its venue takes the key', async () => {
    const gateway = await openStopsGateway(row);
    expect(await gateway.outcome()).toMatchObject({ status: 'Filled' });
    const { status, body } = REFUSALS[row.exchange];
    const { faults, requests } = gateway.emulated;
    faults.answerInstead({}, status, body, Number.POSITIVE_INFINITY);
    expect(await gateway.outcome()).toMatchObject({ status: 'Rejected' });
    await eventually(async () => expect(await warnings(gateway)).toMatch(shut));
    const asked = requests.length;
    await eventually(() => expect(requests.length).toBeGreaterThan(asked));
    faults.clear();
    await eventually(async () => expect(await warnings(gateway)).not.toMatch(shut));
    expect(await gateway.outcome()).toMatchObject({ status: 'Filled' });
    expect(gateway.held()).toBe('LONG 0.02');
    expect(await warnings(gateway)).toBe('');
  });
});
