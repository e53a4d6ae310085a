// What the script process is told of the settings, and what it is not.

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { scriptConfigOf, withoutSecrets } from './script-config.ts';

const SECRET = 'a-secret-of-the-trading-process';
const TELEGRAM = { TELEGRAM_BOT_TOKEN: '123456789:AAbbccddeeffgghhiijj_-kk', TELEGRAM_DEFAULT_CHAT: '42' };
const ENV = {
  ...{ WALLET_TOKEN: SECRET, WALLET_PASSWORD: SECRET, OPENAI_API_KEY: SECRET, WEBHOOK_API_KEYS: SECRET },
  ...TELEGRAM,
};
const load = (env: Record<string, string>) => loadConfig(env, { checkAddressEntry: () => undefined });

test('no key of the wallet, of models, of webhooks or of the bot is among them', () => {
  const told = inspect(scriptConfigOf(load(ENV)), { depth: null });
  expect(inspect(load(ENV), { depth: null })).toContain(SECRET);
  expect(told).not.toContain(SECRET);
  expect(told).not.toContain(TELEGRAM.TELEGRAM_BOT_TOKEN);
});

test('the chats are told where there is a bot', () => {
  expect(scriptConfigOf(load(TELEGRAM)).chats).toEqual({ defaultChat: '42', allowedChats: [] });
  expect(scriptConfigOf(load({ TELEGRAM_DEFAULT_CHAT: '42' })).chats).toBeUndefined();
});

test('the exchanges that are not on paper are told', () => {
  const config = load(ENV);
  expect(scriptConfigOf(config).realVenues).toEqual([]);
  const venues = { ...config.venues, bybit: { ...config.venues.bybit, mode: 'testnet' as const, baseUrl: 'http://b' } };
  const realVenues = [{ exchange: 'bybit', mode: 'testnet', baseUrl: 'http://b' }];
  expect(scriptConfigOf({ ...config, venues }).realVenues).toEqual(realVenues);
});

test('the environment keeps everything but the secrets among the settings', () => {
  expect(withoutSecrets({ ...ENV, PATH: '/bin', LOG_LEVEL: 'error', INTERNAL_TOKEN: SECRET })).toEqual({
    ...{ PATH: '/bin', LOG_LEVEL: 'error', TELEGRAM_DEFAULT_CHAT: '42' },
  });
});
