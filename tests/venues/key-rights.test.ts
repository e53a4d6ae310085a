// What the key of a live account may do, as its start sees it: rights that a venue does not tell shut the account, a right to transfer
// is told, and so is an account without limits.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { WEBHOOK_KEY } from '../support/live-gateway.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const BYBIT_RIGHTS = { ContractTrade: ['Order', 'Position'], Wallet: ['AccountTransfer'] };

const VENUES = [
  {
    exchange: 'binance',
    path: '/sapi/v1/account/apiRestrictions',
    untold: { ipRestrict: true, enableReading: true, enableFutures: true },
    start: startBinance,
    async startWithTransfers(): Promise<EmulatedVenue> {
      const venue = await startBinance();
      venue.permissions.enableInternalTransfer = true;
      return venue;
    },
  },
  {
    exchange: 'bybit',
    path: '/v5/user/query-api',
    untold: { retCode: 0, result: { readOnly: 0, permissions: { ContractTrade: ['Order'] }, ips: ['127.0.0.1'] } },
    start: startBybitVenue,
    startWithTransfers: () => startBybitVenue({ key: { permissions: BYBIT_RIGHTS } }),
  },
] as const;

describe.each(VENUES)('$exchange', ({ exchange, path, untold, start, startWithTransfers }) => {
  let dataDir: string;
  let emulated: EmulatedVenue | undefined;
  let started: RunningProcess | undefined;
  beforeEach(() => {
    dataDir = freshDataDir();
  });
  afterEach(async () => {
    await started?.stop();
    await emulated?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function begin(venue: EmulatedVenue, more: Readonly<Record<string, string>> = {}): Promise<RunningProcess> {
    venue.market.setPrice('BTCUSDT', '50000');
    const prefix = exchange.toUpperCase();
    const env = {
      ...{ WEBHOOK_API_KEYS: WEBHOOK_KEY, CONFIRM_FIRST_LIVE_ORDER: 'no' },
      ...{ [`${prefix}_MODE`]: 'live', [`${prefix}_BASE_URL`]: venue.baseUrl },
      ...{ [`${prefix}_API_KEY`]: venue.credentials.apiKey, [`${prefix}_API_SECRET`]: venue.credentials.secret },
      ...more,
    };
    emulated = venue;
    started = await startGatewayProcess({ dataDir, env });
    return started;
  }

  async function signal({ url }: RunningProcess): Promise<string> {
    const order = { exchange, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const body = JSON.stringify({ apiKey: WEBHOOK_KEY, ...order });
    const response = await fetch(`${url}/webhook`, { method: 'POST', body });
    return `${response.status} ${await response.text()}`;
  }

  test('an answer that does not say whether the key may withdraw shuts the account until it is said', async () => {
    const venue = await start();
    venue.faults.answerInstead({ method: 'GET', path }, 200, untold, 1000);
    const process = await begin(venue);
    const words = `the rights of the key of ${exchange}:main could not be read`;
    expect(process.output()).toMatch(new RegExp(`Warning: +The live account ${exchange}:main is shut: ${words}`));
    expect(process.output()).toContain('ALLOW_WITHDRAWAL_KEYS=yes opens it all the same');
    const refused = await signal(process);
    expect(refused).toContain(words);
    expect(refused).not.toMatch(/^200/);
    expect(venue.market.orders).toHaveLength(0);
    venue.faults.clear();
    expect(await signal(process)).toMatch(/^200/);
  });

  test('and opens it where its owner insists', async () => {
    const venue = await start();
    venue.faults.answerInstead({ method: 'GET', path }, 200, untold, 1000);
    const process = await begin(venue, { ALLOW_WITHDRAWAL_KEYS: 'yes' });
    expect(process.output()).toMatch(/Warning: +\w+ does not tell whether the key of \w+:main may withdraw/);
    expect(await signal(process)).toMatch(/^200/);
  });

  test('a right to transfer, and limits that are not set, are told by the greeting and stop nothing', async () => {
    const process = await begin(await startWithTransfers());
    expect(process.output()).toMatch(
      new RegExp(
        `Warning: +the key of ${exchange}:main may transfer money out of the account; take that right from it`,
      ),
    );
    expect(process.output()).toMatch(
      new RegExp(
        `Warning: +${exchange}:main \\(LIVE\\) has no limit for the size of its orders and for leverage; ` +
          `say "signalbox limits set account:${exchange}:main --largest-order 500 --leverage 3"`,
      ),
    );
    expect(await signal(process)).toMatch(/^200/);
  });
});
