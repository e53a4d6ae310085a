// No key and no token ever shows in a log line, a stored byte or an answer, wherever a sender may put it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';

const TOKEN = 'internal-token-0123456789abcdef';
const ADMIN = 'administrator-token-0123456789';
const STATIC_KEY = 'static-webhook-key-0123456789abcdef';
/** Another sender's, short enough for a symbol. */
const OTHER_KEY = 'other-key-73915024';
const FOREIGN = `whk_${'Zz9_-'.repeat(9).slice(0, 43)}`;

let program: RunningProcess;
/** Raw keys that must not show. */
const secrets = new Set([TOKEN, ADMIN, STATIC_KEY, OTHER_KEY, FOREIGN]);
const answers: string[] = [];
let greetingLength: number;

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(program.url + path, { method, headers, ...(body === undefined ? {} : { body: text }) });
  return `${[...response.headers].join('\n')}\n${await response.text()}`;
}
const inside = { 'x-internal-auth-key': TOKEN };
const signal = (apiKey: string, fields: Record<string, unknown> = {}) => ({
  apiKey,
  exchange: 'binance',
  action: 'LONG',
  symbol: 'BTCUSDT',
  quantity: 0.01,
  ...fields,
});

async function sendEverywhere(key: string): Promise<void> {
  const say = async (...args: Parameters<typeof ask>) => void answers.push(await ask(...args));
  const headers = {
    authorization: `Bearer ${key}`,
    'x-api-key': key,
    cookie: `k=${key}`,
    'user-agent': key,
    referer: key,
  };
  await say('POST', '/webhook', signal(key), headers);
  await say('POST', '/webhook/tradingview', signal(key));
  await say('POST', `/webhook?apiKey=${key}`, signal(key, { quantity: 0 }));
  await say('POST', `/webhook/${key}`, signal(key));
  await say('POST', '/webhook', signal('wrong', { symbol: key.slice(0, 20), note: key }));
  for (const field of ['exchange', 'action', 'symbol', 'quantity', 'price', 'leverage', 'idempotencyKey', 'notify'])
    await say('POST', '/webhook', signal(key, { [field]: key }));
  await sendInWords(key);
  // No market's name, so that it is kept for the symbol map.
  await say('POST', '/webhook', signal(key, { symbol: `${key}1!` }));
  await say('POST', '/webhook', `{"apiKey":"${key}","apiKey":"${key}"}`);
  await say('POST', '/webhook', `{"${key}":1,"${key}":2}`);
  await say('POST', '/webhook', `{"apiKey":${key}}`);
  await say('POST', '/webhook', key);
  for (const field of ['symbol', 'signal_type', 'timestamp', 'source', key])
    await say('POST', '/signals', { symbol: 'BTCUSDT', signal_type: 'LONG', [field]: key }, inside);
  for (const name of ['symbol', 'source', 'before', key])
    await say('GET', `/signals?${name}=${key}`, undefined, inside);
  await say('GET', '/signals?limit=100', undefined, inside);
  await say('GET', `/trades/${key}`, undefined, inside);
  await say('GET', `/trades?before=${key}`, undefined, inside);
  await say('GET', `/trades?${key}=1`, undefined, inside);
  await say('DELETE', `/admin/webhook-keys/${key}`, undefined, inside);
  await say('GET', `/admin/${key}`, undefined, { ...inside, 'x-signalbox-actor': key });
  await say('PUT', '/admin/allowlist', { entries: [key] }, inside);
  await say('PUT', '/admin/queue-mode', { mode: key, [key]: 1 }, { ...inside, 'x-signalbox-actor': key });
  await say('GET', '/trades', undefined, { 'x-internal-auth-key': key });
}

/** In the texts that are stored with a trade and sent to chats. */
async function sendInWords(key: string): Promise<void> {
  const words = `my key is ${key}, keep it`;
  for (const fields of [
    { notify: { chatId: '1', message: words } },
    { comment: words },
    { strategy: key },
    { alertId: key },
  ])
    for (const action of ['LONG', 'CLOSE_LONG'])
      for (const door of ['/webhook', '/webhook/tradingview'])
        answers.push(await ask('POST', door, signal(key, { action, ...fields })));
}

/** The key of somebody else, in signals that trade and in those that are refused and kept to be sent again. */
async function sendForeign(sender: string): Promise<void> {
  const words = `not mine: ${OTHER_KEY}`;
  for (const fields of [
    { notify: { chatId: '1', message: words } },
    { comment: words },
    { strategy: OTHER_KEY },
    { alertId: OTHER_KEY },
    { symbol: OTHER_KEY },
    { idempotencyKey: OTHER_KEY },
  ])
    for (const symbol of ['BTCUSDT', 'NOSUCHUSDT']) {
      const body = signal(sender, { symbol, ...fields });
      for (const door of ['/webhook', '/webhook/tradingview']) answers.push(await ask('POST', door, body));
      answers.push(await ask('POST', '/email-signal', { text: JSON.stringify(body) }, inside));
    }
}

beforeAll(async () => {
  program = await startGatewayProcess({
    env: {
      LOG_LEVEL: 'debug',
      INTERNAL_TOKEN: TOKEN,
      ADMIN_TOKEN: ADMIN,
      WEBHOOK_API_KEYS: `${STATIC_KEY},${OTHER_KEY}`,
    },
  });
  greetingLength = program.output().length;
  const issued = async (path: string, body?: unknown) => {
    const key = /whk_[A-Za-z0-9_-]{43}/.exec(await ask('POST', path, body, inside))?.[0] as string;
    secrets.add(key);
    return key;
  };
  const first = await issued('/admin/webhook-keys', { label: 'first' });
  const list = JSON.parse((await ask('GET', '/admin/webhook-keys', undefined, inside)).split('\n').at(-1) as string);
  const keyId = list.result.find((key: { label: string }) => key.label === 'first').keyId;
  await sendEverywhere(first);
  await sendEverywhere(await issued(`/admin/webhook-keys/${keyId}/rotate`, { graceSeconds: 60 }));
  await sendEverywhere(FOREIGN);
  for (const path of ['/admin/webhook-keys', '/admin/audit?limit=500', '/trades?limit=100', '/positions', '/metrics'])
    answers.push(await ask('GET', path, undefined, inside));
  for (const path of ['/health', '/ready', '/openapi.json', '/docs']) answers.push(await ask('GET', path));
  answers.push(await ask('POST', '/webhook', signal(STATIC_KEY)));
  await sendInWords(STATIC_KEY);
  for (const sender of [STATIC_KEY, first]) await sendForeign(sender);
  answers.push(await ask('GET', '/signals?limit=100', undefined, inside));
  answers.push(await ask('GET', '/refusals?limit=100', undefined, inside));
  answers.push(await ask('GET', '/trades?limit=100', undefined, inside));
});
afterAll(() => program.kill());

function expectNone(where: string, text: string | Buffer): void {
  for (const secret of secrets) expect([where, text.includes(secret) ? secret : 'clean']).toEqual([where, 'clean']);
}

describe('secrets', () => {
  it('were really used', () => {
    expect(secrets.size).toBe(7);
    expect(answers.filter((answer) => answer.includes('"Filled"')).length).toBeGreaterThan(5);
    expect(answers.length).toBeGreaterThan(70);
  });

  it('are not told from guesses to whoever has no key', async () => {
    const codes = async (alertId: string) =>
      /"code":"(\w+)"/.exec(await ask('POST', '/webhook', signal('a-wrong-key-0123456789', { alertId })))?.[1];
    expect([await codes(OTHER_KEY), await codes('other-key-73915025')]).toEqual(Array(2).fill('AUTHENTICATION_FAILED'));
  });

  it('are in no answer but the one that made them', () => {
    for (const answer of answers) expectNone(answer.slice(-300), answer);
  });

  it('are in no line of the log', async () => {
    await expect.poll(() => program.output().slice(greetingLength).split('\n').length).toBeGreaterThan(70);
    expectNone('log', program.output().slice(greetingLength));
  });

  it('are in no byte of the data folder, while it runs and after it stopped', async () => {
    const files = () =>
      readdirSync(program.dataDir, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
    expect(files().map(({ name }) => name)).toEqual(expect.arrayContaining(['signalbox.db']));
    for (const { parentPath, name } of files()) expectNone(name, readFileSync(join(parentPath, name)));
    await program.stop();
    for (const { parentPath, name } of files()) expectNone(name, readFileSync(join(parentPath, name)));
    expectNone('log', program.output().slice(greetingLength));
  });
});
