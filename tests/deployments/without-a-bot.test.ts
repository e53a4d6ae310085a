// A deployment to Telegram is made only where a bot can write to its chat, and nothing counts as sent that was not.

import { describe, expect, it, type TestContext } from 'vitest';
import { BOT_TOKEN } from '../support/bot-api-server.ts';
import { startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const WEBHOOK_KEY = `whk_${'n'.repeat(43)}`;
const SCRIPT = '//@version=6\nindicator("x")\nalert("hello", alert.freq_once_per_bar_close)\nplot(close)';
/** Nobody answers there: whether a deployment may be made does not depend on it. */
const BOT = { TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_API_ROOT: 'http://127.0.0.1:9', TELEGRAM_ALLOWED_CHATS: '42' };

type Body = Record<string, unknown>;

async function openHouse(env: Record<string, string>, onTestFinished: TestContext['onTestFinished']) {
  const running = await startProcess({ env: { ADMIN_TOKEN, WEBHOOK_API_KEYS: WEBHOOK_KEY, ...env } });
  onTestFinished(async () => void (await running.stop()));
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(running.url + path, init);
    return { status: response.status, body: (await response.json()) as Body };
  };
  const made = await call('POST', '/api/keys?action=create', {}, { 'x-admin-token': ADMIN_TOKEN });
  const headers = { authorization: `Bearer ${made.body.api_key}` };
  await call('PUT', '/api/scripts/hello', { name: 'Hello', content: SCRIPT }, headers);
  const wanted = { scriptId: 'hello', symbol: 'BTCUSDT', interval: '1m' };
  return {
    call,
    deploy: (to: object) =>
      call('POST', '/api/deployments', { ...wanted, targets: [{ type: 'telegram', ...to }] }, headers),
    deployments: async () => (await call('GET', '/api/deployments', undefined, headers)).body.deployments as Body[],
  };
}

describe('without a bot', () => {
  it('a deployment to Telegram is refused with the remedy; a signal trades and is told that nothing was sent', async ({
    onTestFinished,
  }) => {
    const { call, deploy, deployments } = await openHouse({}, onTestFinished);
    const { status, body } = await deploy({});
    expect([status, body.code]).toEqual([400, 'INVALID_FIELD']);
    expect(body.message).toContain('There is no Telegram bot here: set TELEGRAM_BOT_TOKEN');
    expect(await deployments()).toEqual([]);

    const signal = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, notify: { chatId: '42' } };
    const traded = await call('POST', '/webhook', { apiKey: WEBHOOK_KEY, ...signal });
    expect([traded.status, traded.body.notificationResult]).toEqual([200, { success: false, messageId: null }]);
    const trade = (await call('GET', `/trades/${traded.body.requestId}`)).body.result as { events: Body[] };
    expect(trade.events.map(({ kind }) => kind)).not.toContain('notified');
    const detail = expect.stringContaining('set TELEGRAM_BOT_TOKEN');
    expect(trade.events.at(-1)).toMatchObject({ kind: 'notification-abandoned', detail });
  });
});

describe('with a bot', () => {
  it('a deployment is made for a chat that the bot may write to, and for no other', async ({ onTestFinished }) => {
    const { deploy, deployments } = await openHouse(BOT, onTestFinished);
    const stranger = await deploy({ chatId: '7' });
    expect([stranger.status, stranger.body.code]).toEqual([400, 'INVALID_FIELD']);
    expect(stranger.body.message).toContain('add it to TELEGRAM_ALLOWED_CHATS');
    expect((await deploy({})).body.message).toContain('no chat: set TELEGRAM_DEFAULT_CHAT');
    expect(await deployments()).toEqual([]);
    expect((await deploy({ chatId: '42' })).status).toBe(201);
  });
});
