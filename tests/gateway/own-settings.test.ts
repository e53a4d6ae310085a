// What the running process says of itself to its owner: its settings without secrets, and how signals reach it.

import { beforeAll, describe, expect, test } from 'vitest';
import { closeWithFile } from '../support/close-at-end.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';

const TOKEN = 'a-token-of-the-owner-0001';
const HOOK_SECRET = '123456789:AAthis-is-no-real-token-at-all-000000';

let signalbox: RunningProcess;
beforeAll(async () => {
  signalbox = await startGatewayProcess({
    env: {
      ...{ INTERNAL_TOKEN: TOKEN, BASE_URL: 'https://trade.example.com', TRUSTED_PROXIES: '127.0.0.1' },
      ...{ DISCORD_WEBHOOK_URL: `http://127.0.0.1:9/${HOOK_SECRET}`, SMTP_PORT: '0' },
      SMTP_ALLOWED_SENDERS: 'me@example.com',
    },
  });
  closeWithFile(async () => void (await signalbox.stop()));
});

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${signalbox.url}${path}`, { headers: { 'x-internal-auth-key': TOKEN }, ...init });
  return { status: response.status, text: await response.text() };
};
const resultOf = async (path: string) => JSON.parse((await ask(path)).text).result;

describe('GET /admin/settings', () => {
  test('has every setting with its source, and no secret', async () => {
    const { status, text } = await ask('/admin/settings');
    expect(status).toBe(200);
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(HOOK_SECRET);
    const settings = JSON.parse(text).result as { name: string; value: string; source: string; about: string }[];
    const named = (name: string) => settings.find((setting) => setting.name === name);
    expect(named('BASE_URL')).toMatchObject({ value: 'https://trade.example.com', source: 'environment' });
    expect(named('QUEUE_MODE')).toMatchObject({ value: 'failover', source: 'default' });
    expect(named('INTERNAL_TOKEN')).toMatchObject({ source: 'environment' });
    expect(settings.every(({ about }) => about !== '')).toBe(true);
  });

  test('tells what was changed since the start', async () => {
    const body = JSON.stringify({ mode: 'async' });
    const headers = { 'x-internal-auth-key': TOKEN, 'content-type': 'application/json' };
    expect((await ask('/admin/queue-mode', { method: 'PUT', body, headers })).status).toBe(200);
    const settings = (await resultOf('/admin/settings')) as { name: string }[];
    expect(settings.find(({ name }) => name === 'QUEUE_MODE')).toMatchObject({ value: 'async', source: 'stored' });
  });
});

describe('GET /admin/reach', () => {
  test('tells the public address, the mail door, and a call of TradingView as soon as it came', async () => {
    const reach = await resultOf('/admin/reach');
    expect(reach).toMatchObject({ baseUrl: 'https://trade.example.com', tradingviewCall: null });
    expect(reach.mail.senders).toEqual(['me@example.com']);
    await ask('/webhook', { method: 'POST', body: '{}', headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect((await resultOf('/admin/reach')).tradingviewCall).toBeNull();
    await ask('/webhook', { method: 'POST', body: '{}', headers: { 'x-forwarded-for': '52.89.214.238' } });
    expect((await resultOf('/admin/reach')).tradingviewCall).toEqual({
      at: expect.any(Number),
      address: '52.89.214.238',
    });
  });
});

test.each(['/admin/settings', '/admin/reach'])('%s is for the owner alone, and takes no filters', async (path) => {
  expect((await ask(path, { headers: {} })).status).toBe(401);
  const { status, text } = await ask(`${path}?name=PORT`);
  expect([status, JSON.parse(text).code]).toEqual([400, 'INVALID_QUERY']);
});
