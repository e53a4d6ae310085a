// The whole gateway with live accounts at emulated venues, over real HTTP; exchanges that are not named trade on paper.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../src/composition/build.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { EXCHANGES, type Exchange } from '../../src/exchanges/exchange.ts';
import { createLog } from '../../src/http/log.ts';
import type { EmulatedVenue } from './emulated-venues/emulated-venue.ts';

export const LIVE_KEY = `whk_${'k'.repeat(43)}`;

export interface LiveGatewayOptions {
  /** The venues of the accounts, by exchange. */
  readonly venues: Partial<Readonly<Record<Exchange, Pick<EmulatedVenue, 'credentials' | 'baseUrl'>>>>;
  readonly mode?: 'testnet' | 'live';
  /** Settings besides. */
  readonly env?: Readonly<Record<string, string>>;
  /** One of its own otherwise, which is removed with it. */
  readonly dataDir?: string;
}

export type LiveGateway = Awaited<ReturnType<typeof openLiveGateway>>;

export async function openLiveGateway(options: LiveGatewayOptions) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'signalbox-live-'));
  const log = createLog({ level: 'silent', name: 'test' });
  const built = await build(configOf(options, dataDir), log, { trade: true });
  await built.gateway?.desk.start({ afterCrash: true });
  const ask = async (path: string, init: RequestInit = {}) => {
    const request = { ...init, headers: { host: 'localhost', ...init.headers } };
    const response = await built.app.request(path, request, { peer: '127.0.0.1' });
    return { status: response.status, ...((await response.json()) as object) };
  };
  return {
    alarms: () => built.alarms.current().map(({ text }) => text),
    read: async (path: string) => (await ask(path)) as { readonly status: number; readonly result?: unknown },
    compare: async () => (await ask('/reconciliation', { method: 'POST' })) as { readonly result?: unknown },
    put: (path: string, body: object) => ask(path, { method: 'PUT', body: JSON.stringify(body) }),
    post: (path: string, body: object) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    signal: (fields: object, headers: Record<string, string> = {}) =>
      ask('/webhook', { method: 'POST', headers, body: JSON.stringify({ ...SIGNAL, ...fields }) }),
    metrics: async () =>
      (await built.app.request('/metrics', { headers: { host: 'localhost' } }, { peer: '127.0.0.1' })).text(),
    async close() {
      await built.tearDown();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const SIGNAL = { apiKey: LIVE_KEY, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

/** Live accounts are put in behind the settings, one row for each venue, whatever the settings of each are called. */
function configOf({ venues, mode = 'live', env }: LiveGatewayOptions, dataDir: string): Config {
  const given = {
    DATA_DIR: dataDir,
    SERVICES: 'gateway',
    WEBHOOK_API_KEYS: LIVE_KEY,
    CONFIRM_FIRST_LIVE_ORDER: 'no',
    ...env,
  };
  const loaded = loadConfig(given, { checkAddressEntry: () => undefined });
  const real = EXCHANGES.flatMap((exchange) => {
    const { credentials, baseUrl } = venues[exchange] ?? {};
    return credentials === undefined ? [] : [[exchange, { mode, hasOwnMode: true, credentials, baseUrl }]];
  });
  return { ...loaded, venues: { ...loaded.venues, ...Object.fromEntries(real) } };
}
