// The settings of the analysis API and of the script worker.

import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './testing/load.ts';

describe('the settings of the key services', () => {
  it.each([
    ['STORE_BACKEND', 'yaml'],
    ['USAGE_RESET', 'weekly'],
    ['FREE_MAX_BARS', '0'],
    ['FREE_MAX_BARS', '1000001'],
    ['FREE_RATE_LIMIT', '-1'],
    ['FREE_MAX_SCRIPT_CHARS', '0'],
    ['RUN_TIMEOUT_S', '0'],
    ['RUN_TIMEOUT_S', '301'],
    ['API_KEYS', 'postgres'],
    ['SCRIPT_DATABASE', 'postgres'],
    ['ALLOW_OPEN_KEYS', 'maybe'],
    ['REQUIRE_RUN_AUTH', 'on'],
    ['PROCESS_URL', 'https://10.0.0.12:8787'],
    ['PROCESS_URL', 'http://10.0.0.12:8787/box'],
    ['PROCESS_URL', '10.0.0.12:8787'],
    ['DATABASE_URL', 'mysql://user@host/database'],
    ['DATABASE_URL', 'host:5432/database'],
    ['REDIS_URL', 'http://127.0.0.1:6379'],
    ['REDIS_URL', '127.0.0.1:6379'],
    ['REDIS_URL', 'redis://127.0.0.1:6379/abc'],
    ['REDIS_URL', 'redis://127.0.0.1:6379/0?db=1'],
    ['ALLOWED_ORIGINS', 'charts.example.com'],
    ['ALLOWED_ORIGINS', 'https://charts.example.com/app'],
    ['GITHUB_OAUTH_CLIENT_ID', 'two words'],
    ['DEPLOYMENT_WEBHOOK_ALLOW', '127.0.0.1'],
  ])('%s=%s is a fault', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}: `));
  });

  it.each(['1', 'true', 'YES'])('REQUIRE_RUN_AUTH=%s is on', (text) => {
    expect(load({ REQUIRE_RUN_AUTH: text }).scripts.requireRunAuth).toBe(true);
  });

  it.each(['0', 'false', 'No', ''])('ALLOW_OPEN_KEYS=%s is off', (text) => {
    expect(load({ ALLOW_OPEN_KEYS: text }).scripts.allowOpenKeys).toBe(false);
  });

  it('ask for REDIS_URL where something is to be kept in Redis', () => {
    expect(faultsOf({ STORE_BACKEND: 'redis', API_KEYS: 'redis' })).toEqual([
      'REDIS_URL: is not set, but STORE_BACKEND, API_KEYS ask for Redis; set it, like redis://127.0.0.1:6379/0.',
    ]);
    expect(faultsOf({ RATE_LIMITS: 'redis', LIVE_BARS: 'redis' })).toEqual([
      'REDIS_URL: is not set, but RATE_LIMITS, LIVE_BARS ask for Redis; set it, like redis://127.0.0.1:6379/0.',
    ]);
    expect(faultsOf({ API_KEYS: 'redis', REDIS_URL: 'redis://:secret@127.0.0.1:6379/1' })).toEqual([]);
  });

  it('ALLOWED_ORIGINS forgives a slash at the end, and knows every page', () => {
    expect(load({ ALLOWED_ORIGINS: 'https://charts.example.com/, *' }).allowedOrigins).toEqual([
      'https://charts.example.com',
      '*',
    ]);
  });

  it('warn loudly of open keys in production, and only there', () => {
    const open = { ALLOW_OPEN_KEYS: '1' };
    expect(load({ ...open, ENVIRONMENT: 'production' }).warnings.join()).toContain(
      'ALLOW_OPEN_KEYS is on in production',
    );
    expect(load(open).warnings).toEqual([]);
  });
});
