// The error table, whole: every code is provoked here through the front door, and the documentation lists the same codes.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';
import { FencedError, UnknownOutcomeError } from '../../src/errors/storage-error.ts';
import { StoredAccountFault, type StoredAccountFaultKind } from '../../src/keys/stored-accounts.ts';
import type { ArchiveDeps, ArchiveRunState } from '../../src/services/gateway/admin-archive.ts';
import type { BackupsDeps } from '../../src/services/gateway/admin-backups.ts';
import type { GatewayErrorCode } from '../../src/services/gateway/errors.ts';
import { GATEWAY_ERRORS } from '../../src/services/gateway/index.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { VenueError } from '../../src/trading/venue.ts';
import { ACCESS_PROVOCATIONS } from '../dashboard/provoke.ts';
import { LIMIT_PROVOCATIONS } from '../limits/provoke.ts';
import { openAgentGateway } from '../support/agent.ts';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { openaiProtocol } from '../support/model-servers/openai-protocol.ts';
import { createScriptedVenue, type ScriptedVenue } from '../support/scripted-venue.ts';
import { WALLET_PROVOCATIONS } from '../wallet/provoke.ts';
import { expectDuplicateOf, expectEnvelope, expectFilled, freshGateway, KEY_1 } from '../webhook/answers.ts';

type Provoke = (gateway: TestGateway, venue: ScriptedVenue) => Promise<Sent>;

const FROM_AFAR = { peer: '198.51.100.1' };
const NOBODY_LISTENS = { servers: [{ protocol: openaiProtocol, url: 'http://127.0.0.1:1/v1' }] };
/** Where accounts cannot be stored, by whichever fault. */
async function storeAccount(kind: StoredAccountFaultKind, { headers = {} } = {}): Promise<Sent> {
  const add = () => Promise.reject(new StoredAccountFault('it cannot be stored', kind));
  const internalToken = 'an-internal-token-for-tests-01';
  const gateway = await openGateway({ internalToken, knownAccounts: { add } as never });
  const account = { exchange: 'binance', account: 'scalp', mode: 'live', apiKey: 'an-api-key', secret: 'a-secret' };
  const sent = await gateway.request('POST', '/admin/accounts', account, {
    headers: { 'x-internal-auth-key': internalToken, ...headers },
  });
  await gateway.close();
  return sent;
}

/** Where backups are as they are said to be. */
async function backUp(backups: Partial<BackupsDeps> | undefined): Promise<Sent> {
  const gateway = await openGateway(backups === undefined ? {} : { backups: backups as BackupsDeps });
  const sent = await gateway.request('POST', '/admin/backup');
  await gateway.close();
  return sent;
}

/** Where the archive is as it is said to be. */
async function archive(changes: Partial<ArchiveDeps>): Promise<Sent> {
  const files: ArchiveDeps = {
    ...{ folder: '/data/archive', database: 'sqlite', nowMs: Date.now, lastRun: () => undefined, begin: () => {} },
    ...{ completeFromMs: async () => 0, files: async () => [], ...changes },
  };
  const gateway = await openGateway({ archive: files });
  const sent = await gateway.request('POST', '/admin/archive', { before: '365d' });
  await gateway.close();
  return sent;
}

const PROVOKE: Record<GatewayErrorCode, Provoke> = {
  INVALID_JSON: (gateway) => gateway.request('POST', '/webhook', '{'),
  INVALID_PAYLOAD: (gateway) => gateway.send({ quantity: 0 }),
  INVALID_QUERY: (gateway) => gateway.request('GET', '/trades?limit=0'),
  INVALID_KEY_REQUEST: (gateway) => gateway.request('POST', '/admin/webhook-keys', { label: 'static-1' }),
  INVALID_SQL: (gateway) => gateway.request('POST', '/query', { query: 'SELEKT 1' }),
  UNAUTHORIZED: (gateway) => gateway.request('GET', '/trades', undefined, FROM_AFAR),
  AUTHENTICATION_FAILED: (gateway) => gateway.send({ apiKey: 'wrong' }),
  KEY_OUT_OF_SCOPE: async (gateway) =>
    gateway.send({ apiKey: await gateway.keyWith('narrow', { symbols: ['ETHUSDT'] }) }),
  ...LIMIT_PROVOCATIONS,
  ...ACCESS_PROVOCATIONS,
  ADDRESS_BLOCKED: async (gateway) => {
    await gateway.request('PUT', '/admin/allowlist', { entries: ['203.0.113.1'] });
    return gateway.send({}, FROM_AFAR);
  },
  STATEMENT_REFUSED: (gateway) => gateway.request('POST', '/query', { query: 'DROP TABLE trades' }),
  NOT_FOUND: (gateway) => gateway.request('GET', '/nothing'),
  TRADE_NOT_FOUND: (gateway) => gateway.request('GET', `/trades/${KEY_1}`),
  ORDER_NOT_FOUND: (gateway) => gateway.request('DELETE', '/orders/nothing'),
  KEY_NOT_FOUND: (gateway) => gateway.request('DELETE', '/admin/webhook-keys/nobody'),
  DEPLOYMENT_NOT_FOUND: (gateway) => gateway.request('DELETE', '/admin/deployments/nobody'),
  DEPLOYMENT_HOLDS: async () => {
    const remove = async () => ({ kind: 'holds', reason: 'it holds long 1' }) as const;
    const gateway = await openGateway({ operator: { remove } as never });
    const sent = await gateway.request('DELETE', '/admin/deployments/d1');
    await gateway.close();
    return sent;
  },
  DEPLOYMENT_NOT_COMPARABLE: (gateway) => gateway.request('GET', '/admin/deployments/nobody/compare'),
  STOP_NOT_FOUND: (gateway) => gateway.request('DELETE', '/agent/trailing-stops/binance:BTCUSDT:LONG'),
  UNKNOWN_KEY: (gateway) => gateway.request('POST', '/orders/cancel', { key: 'nobody' }),
  UNKNOWN_SYMBOL: (gateway) => gateway.request('GET', '/markets?symbol=NOSUCHUSDT'),
  MARKET_DATA_UNREACHABLE: async () => {
    const markets = () => Promise.reject(new Error('Binance cannot be reached; try again later'));
    const gateway = await openGateway({
      prices: { ...createSimulatedMarket({ seed: 7, nowMs: Date.now }), markets },
    });
    const sent = await gateway.request('GET', '/markets');
    await gateway.close();
    return sent;
  },
  METHOD_NOT_ALLOWED: (gateway) => gateway.request('GET', '/webhook'),
  QUERY_TIMEOUT: async (gateway) => {
    for (let number = 0; number < 4; number++) await gateway.send({ notify: {} });
    const tables = Array.from({ length: 20 }, (_, index) => `trade_signals s${index}`).join();
    return gateway.request('POST', '/query', {
      query: `DELETE FROM trade_signals WHERE (SELECT count(*) FROM ${tables})`,
    });
  },
  DUPLICATE_SIGNAL: async (gateway) => {
    await gateway.send({ idempotencyKey: KEY_1 });
    return gateway.send({ idempotencyKey: KEY_1 });
  },
  SYMBOL_NOT_MAPPED: (gateway) => gateway.request('DELETE', '/admin/symbol-map?symbol=NQ1!'),
  REFUSAL_NOT_FOUND: (gateway) => gateway.request('POST', `/refusals/${KEY_1}/resend`),
  NOT_RESENDABLE: async (gateway) => {
    const { body } = await gateway.send({ quantity: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    return gateway.request('POST', `/refusals/${body.requestId}/resend`);
  },
  STALE_SIGNAL: async (gateway) => {
    const { body } = await gateway.send({ account: 'nowhere' });
    await new Promise((resolve) => setImmediate(resolve));
    gateway.clock.offsetMs += 3_600_000;
    return gateway.request('POST', `/refusals/${body.requestId}/resend`).finally(() => {
      gateway.clock.offsetMs -= 3_600_000;
    });
  },
  ORDER_ENDED: async (gateway) => {
    await gateway.send();
    const [order] = (await gateway.request('GET', '/orders?state=Filled')).body.result;
    return gateway.request('DELETE', `/orders/${order.clientOrderId}`);
  },
  CANCEL_UNKNOWN: async (gateway, venue) => {
    venue.script.push({ rest: true });
    await gateway.send({ price: 90 });
    const [order] = (await gateway.request('GET', '/orders')).body.result;
    venue.cancelOrder = () => Promise.reject(new VenueError('unknown', 'timed out'));
    return gateway.request('DELETE', `/orders/${order.clientOrderId}`);
  },
  NOT_TRADING: async () => {
    const gateway = await freshGateway({ isStopped: true });
    return gateway.request('POST', '/orders/cancel', { all: true });
  },
  KEY_CONFLICT: (gateway) => gateway.request('POST', '/admin/webhook-keys', { label: 'test-0' }),
  INSECURE_CONNECTION: () => storeAccount('conflict', { headers: { 'x-forwarded-for': '203.0.113.7' } }),
  BACKUP_RUNNING: () => backUp({ isRunning: true }),
  NO_BACKUP_FOLDER: () => backUp(undefined),
  BACKUP_FAILED: () => backUp({ isRunning: false, make: () => Promise.reject(new Error('the disk is full')) }),
  ARCHIVE_RUNNING: () => archive({ lastRun: () => ({ isRunning: true }) as ArchiveRunState }),
  ARCHIVE_FAILED: () => archive({ files: () => Promise.reject(new Error('the disk is away')) }),
  TRADE_ARCHIVED: async () => {
    const gateway = await openGateway({ findArchived: async () => '/data/archive/2025-03.db' });
    const sent = await gateway.request('GET', `/trades/${KEY_1}`);
    await gateway.close();
    return sent;
  },
  ACCOUNT_CONFLICT: () => storeAccount('conflict'),
  ACCOUNT_REFUSED: () => storeAccount('refused'),
  SETTING_FROM_ENVIRONMENT: async () => {
    const gateway = await openGateway({ ruledBy: { queueMode: 'environment' } });
    const sent = await gateway.request('PUT', '/admin/queue-mode', { mode: 'async' });
    await gateway.close();
    return sent;
  },
  STOP_CONFLICT: (gateway) =>
    gateway.request('POST', '/agent/trailing-stops', {
      ...{ exchange: 'binance', symbol: 'BTCUSDT', side: 'LONG', trailPercent: 1 },
    }),
  PAYLOAD_TOO_LARGE: (gateway) => gateway.request('POST', '/webhook', ' '.repeat(65_537)),
  QUERY_TOO_LARGE: (gateway) => {
    const params = ['a'.repeat(1000), 'a', 'b'.repeat(2000)];
    return gateway.request('POST', '/query', { query: 'SELECT replace(?, ?, ?)', params });
  },
  OPPOSITE_POSITION: async (gateway) => {
    await gateway.send({ action: 'SHORT' });
    return gateway.send({ action: 'LONG', price: 100 });
  },
  POSITION_DIFFERS: async () => {
    const gateway = await openGateway({ positionCheck: 'refuse' });
    const alert = { action: 'buy', marketPosition: 'long', prevMarketPosition: 'long' };
    const sent = await gateway.request('POST', '/webhook/tradingview', { ...gateway.signal(), ...alert });
    await gateway.close();
    return sent;
  },
  CANNOT_SIZE: (gateway) =>
    gateway.send({ quantityType: 'risk_percent', quantity: 1, price: 100.05, stopLoss: 100.01 }),
  STOP_WRONG_SIDE: (gateway) => gateway.send({ exchange: 'bybit', stopLoss: 10_000_000 }),
  UNKNOWN_ACCOUNT: (gateway) => gateway.send({ account: 'scalp' }),
  VENUE_NOT_CONFIGURED: async () => {
    const gateway = await openGateway({ off: [{ exchange: 'mexc', why: 'MEXC is off; set MEXC_API_KEY' }] });
    const sent = await gateway.send({ exchange: 'mexc' });
    await gateway.close();
    return sent;
  },
  STALE_DATA: async () => {
    const quote = async () => ({ bid: decimal(100), ask: decimal(101), atMs: Date.now() - 60_000 });
    const gateway = await openGateway({ venues: [Object.assign(createScriptedVenue(), { mode: 'live', quote })] });
    const sent = await gateway.send();
    await gateway.close();
    return sent;
  },
  LIVE_NOT_CONFIRMED: async () => {
    const gateway = await openGateway({ liveConfirmations: { isConfirmed: () => false } });
    const sent = await gateway.send();
    await gateway.close();
    return sent;
  },
  ORDER_TOO_LARGE: (gateway) => gateway.send({ exchange: 'bybit', quantity: 120.001 }),
  ORDER_REJECTED: (gateway) => gateway.send({ action: 'CLOSE_LONG' }),
  RATE_LIMITED: async (gateway) => {
    await gateway.request('PUT', '/admin/limits', { webhookRatePerMinute: 1 });
    await gateway.send();
    return gateway.send();
  },
  TOO_MANY_FAILED_AUTHENTICATIONS: async (gateway) => {
    await gateway.request('PUT', '/admin/limits', { failedAuthPerMinute: 1 });
    await gateway.send({ apiKey: 'wrong' });
    return gateway.send({ apiKey: 'wrong' });
  },
  AGENT_BUSY: async () => {
    const { chat } = await openAgentGateway(NOBODY_LISTENS);
    return (await Promise.all(Array.from({ length: 9 }, () => chat()))).at(-1) as Sent;
  },
  QUERY_BUSY: async (gateway) => {
    const asked = Array.from({ length: 18 }, () => gateway.request('POST', '/query', { query: 'SELECT 1' }));
    return (await Promise.all(asked)).at(-1) as Sent;
  },
  INTERNAL: (gateway, venue) => {
    venue.market = () => Promise.reject(new Error('a secret of the inside'));
    return gateway.send();
  },
  STORAGE_FAILED: async (gateway) => {
    await gateway.close();
    return gateway.send();
  },
  STORAGE_UNKNOWN: (gateway) => {
    gateway.data.journal.accept = () => Promise.reject(new UnknownOutcomeError('the disk failed'));
    return gateway.send();
  },
  TRY_AGAIN: (gateway) => {
    gateway.data.journal.accept = () => Promise.reject(new FencedError('another process has taken over'));
    return gateway.send();
  },
  VENUE_UNREACHABLE: async (gateway, venue) => {
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'direct' });
    venue.down = 'not-sent';
    return gateway.send();
  },
  AGENT_FAILED: async () => (await openAgentGateway(NOBODY_LISTENS)).chat(),
  AGENT_NOT_CONFIGURED: async () => (await openAgentGateway()).chat(),
  ...WALLET_PROVOCATIONS,
  KILL_SWITCH_ACTIVE: async (gateway) => {
    await gateway.request('PUT', '/admin/kill-switch', { active: true });
    return gateway.send();
  },
};

describe('every code of the error table', () => {
  it.each(Object.keys(GATEWAY_ERRORS) as GatewayErrorCode[])('%s is really answered, in shape', async (code) => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    const sent = await PROVOKE[code](gateway, venue);
    expect([sent.status, sent.body.code]).toEqual([GATEWAY_ERRORS[code].status, code]);
    expect(sent.body).toMatchObject({ success: false, error: expect.any(String) });
    expect(Object.keys(sent.body).slice(0, 4)).toEqual(['success', 'requestId', 'error', 'code']);
    expectEnvelope(sent);
    expect(sent.body.error).not.toContain('secret of the inside');
  });

  it('is provoked above, and nothing else is', () => {
    expect(Object.keys(PROVOKE).sort()).toEqual(Object.keys(GATEWAY_ERRORS).sort());
  });

  it('is in docs/api/gateway.md with its status, and no other is', () => {
    const page = readFileSync(new URL('../../docs/api/gateway.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \|(.*)$/gm)];
    expect(listed.map(([, code]) => code).sort()).toEqual(Object.keys(GATEWAY_ERRORS).sort());
    for (const [, code, rest] of listed)
      expect(rest, code).toContain(String(GATEWAY_ERRORS[code as GatewayErrorCode].status));
  });
});

describe('an internal fault', () => {
  it('after the order has left is no outcome: the venue is asked, and nothing is sent twice', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    const { placeOrder } = venue;
    venue.placeOrder = async (request) => {
      await placeOrder(request);
      throw new Error('a fault of ours');
    };
    const sent = await gateway.send({ idempotencyKey: KEY_1 });
    expectFilled(sent);
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), sent);
    expect(venue.sent).toHaveLength(1);
    expect(gateway.troubles.join()).toContain('a fault of ours');
  });

  it('before anything left is Rejected', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.market = () => Promise.reject(new Error('x'));
    expect((await gateway.send()).body).toMatchObject({ code: 'INTERNAL', tradeResult: { status: 'Rejected' } });
    expect(venue.sent).toEqual([]);
  });
});
