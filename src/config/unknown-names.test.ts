// Misspelled settings through the front door of the settings: they are told, and what belongs to others is not.

import { expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { spelledLike } from '../trading/intake/near-miss.ts';

const warned = (env: Record<string, string>, dotEnvText = '') =>
  loadConfig(env, { dotEnvText, checkAddressEntry: () => undefined, spelledLike }).warnings;

it.each([
  ['DRAWDOWN_LIMIT_PERCNT', 'DRAWDOWN_LIMIT_PERCENT'],
  ['INTERNAL_TOKN', 'INTERNAL_TOKEN'],
  ['QUEUE_MOD', 'QUEUE_MODE'],
  ['queue_mode', 'QUEUE_MODE'],
  ['SIGNALBOX_MASTERKEY', 'SIGNALBOX_MASTER_KEY'],
])('%s warns in .env and in the environment, and names %s', (name, meant) => {
  const words = (where: string) => `${name} in ${where} is no setting and is ignored. Did you mean ${meant}?`;
  expect(warned({}, `${name}=5`)).toEqual([words('.env')]);
  expect(warned({ [name]: '5' })).toEqual([words('the environment')]);
});

it('an unknown name in .env, which is our own file, warns though it is close to nothing', () => {
  expect(warned({}, 'MY_BROKER=x')).toEqual([expect.stringMatching(/^MY_BROKER in \.env is no setting.*settings\.md/)]);
  expect(warned({}, 'SIGNALBOX_WEBHOOK_KEY=x\nNODE_OPTIONS=x\nQUEUE_MODE=direct')).toEqual([]);
});

it('what other programs have in the environment is none of our business', () => {
  expect(warned({ MY_BROKER: 'x', API_KEY: 'x', HOSTS: 'x', PATH: '/bin', SIGNALBOX_WEBHOOK_KEY: 'x' })).toEqual([]);
});
