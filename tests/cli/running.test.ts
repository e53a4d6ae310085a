// The command line against a running gateway: every command, and that its changes hold from the next signal on. That a
// process of its own does the same is seen where an address is named; tests/cli/stopped.test.ts has every command as one.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { type CommandLine, commandLine, commandLineHere, keyIdIn, keyIn, signalWords } from './command-line.ts';

const TOKEN = 'the-token-of-the-owner';
const KEY_1 = '123e4567-e89b-42d3-a456-426614174000';

let running: RunningProcess;
let cli: CommandLine;
let apiKey: string;
beforeAll(async () => {
  running = await startGatewayProcess({ env: { INTERNAL_TOKEN: TOKEN } });
  cli = commandLineHere({ DATA_DIR: running.dataDir, INTERNAL_TOKEN: TOKEN });
  apiKey = running.apiKey as string;
});
afterAll(() => running.stop());

const filled = (key: string, flags?: Record<string, string>) => cli.done(...signalWords(key, flags));
const refusedSignal = (key: string, flags?: Record<string, string>) => cli.refused(1, ...signalWords(key, flags));

describe('signal', () => {
  it('trades, says so, and names the order and where its story is', async () => {
    const { code, stdout, stderr } = await cli.run(...signalWords(apiKey));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Filled: 0\.01 at [\d.]+\.\nOrder paper-binance-\d+, paper\.\nIts story: signalbox trades \S+\n$/,
    );
    expect(stderr).toBe(`(${running.url})\n`);
  });

  it('takes the key from SIGNALBOX_WEBHOOK_KEY', async () => {
    const env = { DATA_DIR: running.dataDir, SIGNALBOX_WEBHOOK_KEY: apiKey };
    const words = ['--exchange', 'mexc', '--action', 'SHORT', '--symbol', 'SOLUSDT', '--quantity', '1'];
    expect(await commandLineHere(env).done('signal', ...words)).toMatch(/^Filled: 1 at /);
  });

  it('carries its protection, in percent and ticks from the fill too', async () => {
    await filled(apiKey, {
      ...{ exchange: 'bybit', symbol: 'XRPUSDT', quantity: '100', strategy: 'guarded' },
      ...{ 'stop-loss': '2%', 'take-profit': '400 ticks', trail: '1.5%', 'max-hold': '3600' },
    });
    expect(await cli.done('stops')).toMatch(
      /bybit +XRPUSDT +LONG +guarded +active +loss [\d.]+ \(2%\), profit [\d.]+ \(400 ticks\), trails 1\.5%, .*closes 20/,
    );
  });

  it('is refused with the reason and the request id, and exit code 1', async () => {
    const words = await refusedSignal(apiKey, { quantity: '0.0001' });
    expect(words).toMatch(/^Refused \(422 ORDER_REJECTED\): .*the minimum is 0\.001/);
    expect(words).toMatch(/\nrequest id [0-9a-f-]{36}\n/);
  });

  it('twice with one idempotency key trades once', async () => {
    await filled(apiKey, { 'idempotency-key': KEY_1 });
    expect(await refusedSignal(apiKey, { 'idempotency-key': KEY_1 })).toMatch(/^Refused \(409 DUPLICATE_SIGNAL\): /);
  });
});

describe('keys', () => {
  it('creates a key that signals, within its scope only', async () => {
    const created = await cli.done('keys', 'create', 'narrow', '--exchanges', 'bybit', '--symbols', 'ETHUSDT');
    const key = keyIn(created);
    expect(await filled(key, { exchange: 'bybit', symbol: 'ETHUSDT', quantity: '0.1' })).toMatch(/^Filled/);
    expect(await refusedSignal(key)).toMatch(/^Refused \(403 KEY_OUT_OF_SCOPE\): .*"narrow"/);
    expect(await cli.refused(1, 'keys', 'create', 'narrow')).toMatch(/^Refused \(409 KEY_CONFLICT\): /);
  });

  it('rotates: the new key signals, the old one does not, unless it was given time', async () => {
    const created = await cli.done('keys', 'create', 'turning');
    const rotated = await cli.done('keys', 'rotate', keyIdIn(created));
    expect(rotated).toContain('The old key has ended.');
    const second = keyIn(rotated);
    expect(await refusedSignal(keyIn(created))).toMatch(/^Refused \(403 AUTHENTICATION_FAILED\): /);
    const kept = await cli.done('keys', 'rotate', keyIdIn(created), '--grace-seconds', '600');
    expect(kept).toMatch(/The old key works until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./);
    const third = keyIn(kept);
    for (const key of [second, third]) expect(await filled(key)).toMatch(/^Filled/);
  });

  it('revokes: the next signal is refused, and the key never comes back', async () => {
    const created = await cli.done('keys', 'create', 'leaving');
    expect(await cli.done('keys', 'revoke', keyIdIn(created))).toContain('refused from now on');
    expect(await refusedSignal(keyIn(created))).toMatch(/^Refused \(403 AUTHENTICATION_FAILED\): /);
    expect(await cli.refused(1, 'keys', 'rotate', keyIdIn(created))).toMatch(/^Refused \(409 KEY_CONFLICT\): /);
    expect(await cli.refused(1, 'keys', 'revoke', 'nobody')).toMatch(/^Refused \(404 KEY_NOT_FOUND\): /);
  });

  it('revokes by the whole key too; a second time is told as such, also as JSON, and one that was rotated out names its id', async () => {
    const created = await cli.done('keys', 'create', 'whole');
    const id = keyIdIn(created);
    const current = keyIn(await cli.done('keys', 'rotate', id, '--grace-seconds', '600'));
    expect(await cli.refused(1, 'keys', 'revoke', keyIn(created))).toContain(`revoke ${id}`);
    expect(await filled(current)).toMatch(/^Filled/);
    expect(await cli.done('keys', 'revoke', current)).toContain(`Revoked key ${id} (whole).`);
    expect(await refusedSignal(current)).toMatch(/^Refused \(403 AUTHENTICATION_FAILED\): /);
    for (const word of [current, id])
      expect(await cli.refused(1, 'keys', 'revoke', word)).toMatch(/was revoked already, \d{4}-/);
    expect(await cli.json('keys', 'revoke', id)).toMatchObject({ code: 1, body: { result: { alreadyRevoked: true } } });
    expect(await cli.refused(1, 'keys', 'revoke', `whk_${'x'.repeat(43)}`)).toMatch(/^Refused \(404 KEY_NOT_FOUND\): /);
  });

  it('lists labels, scopes and states, and no secret', async () => {
    const list = await cli.done('keys', 'list');
    expect(list).toMatch(/narrow +active +bybit +ETHUSDT/);
    expect(list).toMatch(/leaving.*revoked \d{4}-/);
    expect(list).not.toContain('whk_');
  });
});

describe('controls hold from the next signal on', () => {
  it('kill-switch on, with a scope, and off', async () => {
    expect(await cli.done('kill-switch', 'on', '--reason', 'CPI')).toBe(
      'The kill switch is ON: every signal is refused.\nReason: CPI\n',
    );
    expect(await refusedSignal(apiKey)).toMatch(/^Refused \(503 KILL_SWITCH_ACTIVE\): .*\(CPI\).*kill-switch off/);
    await cli.done('kill-switch', 'on', '--scope', 'entries');
    expect(await refusedSignal(apiKey)).toMatch(/^Refused \(503 KILL_SWITCH_ACTIVE\): new positions/);
    expect(await filled(apiKey, { action: 'CLOSE_LONG' })).toMatch(/^Filled/);
    expect(await cli.done('kill-switch', 'off')).toBe('The kill switch is off: signals pass.\n');
    expect(await cli.done('kill-switch')).toBe('The kill switch is off: signals pass.\n');
    expect(await filled(apiKey)).toMatch(/^Filled/);
  });

  it('queue-mode', async () => {
    await cli.done('queue-mode', 'async');
    expect(await filled(apiKey)).toMatch(/^Enqueued: queued for execution/);
    await cli.done('queue-mode', 'direct');
    expect(await cli.done('queue-mode')).toContain('Queue mode is direct');
    expect(await filled(apiKey)).toMatch(/^Filled/);
  });

  it('allowlist', async () => {
    await cli.done('allowlist', 'set', '203.0.113.7', 'tradingview');
    expect(await cli.done('allowlist')).toBe('Only these may signal:\n  203.0.113.7\n  tradingview\n');
    expect(await refusedSignal(apiKey)).toMatch(/^Refused \(403 ADDRESS_BLOCKED\): signals from 127\.0\.0\.1/);
    expect(await cli.refused(1, 'allowlist', 'set', '300.1.1.1')).toMatch(/^Refused \(400 INVALID_PAYLOAD\): .*300/);
    await cli.done('allowlist', 'off');
    expect(await filled(apiKey)).toMatch(/^Filled/);
  });

  it('limits', async () => {
    await cli.done('limits', '--webhook-rate-per-minute', '1');
    expect(await filled(apiKey)).toMatch(/^Filled/);
    expect(await refusedSignal(apiKey)).toMatch(/^Refused \(429 RATE_LIMITED\): /);
    expect(await cli.done('limits', '--webhook-rate-per-minute', '0')).toMatch(/signals of one key +no limit/);
    expect(await filled(apiKey)).toMatch(/^Filled/);
  });
});

describe('reports', () => {
  it('trades: a table, filters, the story of one, and an unknown one', async () => {
    const sent = await filled(apiKey);
    const requestId = /signalbox trades (\S+)/.exec(sent)?.[1] as string;
    expect(await cli.done('trades', '--limit', '1')).toContain(requestId);
    const rejected = await cli.done('trades', '--status', 'Rejected', '--symbol', 'BINANCE:BTCUSDT.P');
    expect(rejected).toContain('too small');
    expect(rejected).not.toContain('Filled');
    const story = await cli.done('trades', requestId);
    for (const word of ['orders', 'fills', 'events', 'accepted', 'sending', 'filled']) expect(story).toContain(word);
    expect(await cli.refused(1, 'trades', KEY_1)).toMatch(/^Refused \(404 TRADE_NOT_FOUND\): /);
    expect(await cli.refused(1, 'trades', '--limit', '501')).toMatch(/^Refused \(400 INVALID_QUERY\): limit/);
  });

  it('signals: what came in and what became of it, by market and by source', async () => {
    const [head, newest] = (await cli.done('signals', '--limit', '1')).split('\n');
    expect(head).toMatch(/^time +source +type +symbol +decision +signal id$/);
    expect(newest).toMatch(/ webhook +LONG +BTCUSDT +accepted +[0-9a-f-]{36}$/);
    const all = await cli.done('signals', '--limit', '100');
    for (const decision of ['accepted', 'KEY_OUT_OF_SCOPE', 'KILL_SWITCH_ACTIVE', 'DUPLICATE_SIGNAL', 'RATE_LIMITED'])
      expect(all).toContain(decision);
    expect(all).not.toContain('AUTHENTICATION_FAILED');
    const narrow = await cli.done('signals', '--symbol', 'BYBIT:ETHUSDT.P', '--source', 'webhook');
    expect(narrow).toContain('ETHUSDT');
    expect(narrow).not.toContain('BTCUSDT');
    expect(await cli.done('signals', '--source', 'nobody')).toBe('No signal fits.\n');
    expect(await cli.refused(1, 'signals', '--limit', '101')).toMatch(/^Refused \(400 INVALID_QUERY\): limit/);
    expect(await cli.refused(1, 'signals', '--before', KEY_1)).toMatch(/^Refused \(400 INVALID_QUERY\): before/);
  });

  it('positions: what the fills made, and that prices are simulated', async () => {
    expect(await cli.done('positions')).toMatch(/binance +BTCUSDT +LONG .* paper +simulated/);
  });

  it('audit: who changed what, newest first, and no key', async () => {
    const [, newest, ...older] = (await cli.done('audit')).split('\n');
    expect(newest).toMatch(/cli 127\.0\.0\.1 +limits .*"webhookRatePerMinute":0/);
    for (const setting of ['killSwitch', 'queueMode', 'allowlist', 'webhookKey'])
      expect(older.some((line) => line.includes(` ${setting} `))).toBe(true);
    expect(older.join()).not.toContain('whk_');
  });
});

describe('--json', () => {
  it.each([
    [['trades', '--limit', '2']],
    [['signals', '--limit', '2', '--symbol', 'BTCUSDT']],
    [['positions']],
    [['audit', '--limit', '2']],
    [['keys', 'list']],
    [['keys', 'create', 'json']],
    [['kill-switch']],
    [['queue-mode', 'failover']],
    [['allowlist']],
    [['limits']],
  ])('%j prints the answer and nothing else', async (args) => {
    const { code, body } = await cli.json(...args);
    expect(code).toBe(0);
    expect(body).toMatchObject({ success: true, requestId: expect.any(String), result: expect.anything() });
  });

  it('signal prints the answer, a refusal included', async () => {
    const good = await cli.json(...signalWords(apiKey));
    expect(good).toMatchObject({ code: 0, body: { success: true, tradeResult: { status: 'Filled', mode: 'paper' } } });
    const bad = await cli.json(...signalWords('wrong'));
    expect(bad).toMatchObject({ code: 1, body: { success: false, code: 'AUTHENTICATION_FAILED' } });
  });
});

describe('who may command', () => {
  it.each(['trades', 'signals', 'positions', 'audit', 'kill-switch'])(
    '%s with a wrong token is refused',
    async (command) => {
      const words = await cli.refused(1, command, '--token', 'wrong');
      expect(words).toMatch(/^Refused \(401 UNAUTHORIZED\): /);
    },
  );

  it('a change with a wrong token changes nothing', async () => {
    await cli.refused(1, 'kill-switch', 'on', '--token', 'wrong');
    expect(await cli.done('kill-switch')).toContain('off');
  });

  it('one that trades and has not told its address yet is waited for', async () => {
    const note = join(running.dataDir, 'instance.json');
    const told = readFileSync(note);
    writeFileSync(note, JSON.stringify({ ...JSON.parse(String(told)), url: undefined }));
    const asked = cli.done('kill-switch', 'on');
    // Nothing is heard of a command that waits.
    setTimeout(() => writeFileSync(note, told), 300);
    await asked;
    expect(await cli.done('kill-switch')).toContain('is ON');
    await cli.done('kill-switch', 'off');
  });

  it('an address on the command line is asked with the token from the environment', async () => {
    const elsewhere = commandLine({ INTERNAL_TOKEN: TOKEN });
    expect(await elsewhere.done('queue-mode', '--url', running.url)).toContain('Queue mode is');
    const fromEnvironment = commandLine({ INTERNAL_TOKEN: TOKEN, SIGNALBOX_URL: `${running.url}/` });
    expect(await fromEnvironment.done('queue-mode')).toContain('Queue mode is');
  });
});

describe('close and flatten', () => {
  it('close a share, name what is not there, and close everything past the kill switch', async () => {
    await cli.done('flatten', '--yes');
    await filled(apiKey, { quantity: '0.02' });
    await filled(apiKey, { exchange: 'bybit', symbol: 'ETHUSDT', quantity: '1', action: 'SHORT' });
    await cli.done('kill-switch', 'on');
    expect(await cli.done('close', 'binance:BTCUSDT:LONG', '--share', '0.5')).toMatch(
      /^binance:BTCUSDT:LONG Filled: 0\.01 at [\d.]+\.\n {2}its story: signalbox trades \S+\n$/,
    );
    expect(await cli.refused(1, 'close', 'binance:BTCUSDT:SHORT')).toContain('binance:BTCUSDT:SHORT not closed: ');
    // Nobody is there to answer.
    expect(await cli.refused(1, 'flatten')).toContain('Nothing was done.');
    const { body } = await cli.json('flatten', '--yes');
    expect(body.result.map(({ key, status }: Record<string, string>) => `${key} ${status}`)).toEqual([
      ...['binance:BTCUSDT:LONG Filled', 'bybit:ETHUSDT:SHORT Filled'],
    ]);
    expect(await cli.done('positions')).toContain('There are no open positions.');
    await cli.done('kill-switch', 'off');
  });
});

describe('kill-switch', () => {
  it('withdraws entries and closes positions, and says so', async () => {
    const entry = () => filled(apiKey, { symbol: 'SOLUSDT', quantity: '1', price: '20' });
    expect(await entry()).toMatch(/^Submitted/);
    expect(await cli.done('kill-switch', 'on', '--keep-entries')).toBe(
      'The kill switch is ON: every signal is refused.\n',
    );
    await cli.done('kill-switch', 'off');
    await filled(apiKey, { quantity: '0.02' });
    expect(await cli.done('kill-switch', 'on', '--flatten')).toMatch(
      /^The kill switch is ON: every signal is refused; what is open is closed \(flatten\)\.\nEntry sbx\w+ \(1 SOLUSDT at 20\) was withdrawn\.\nbinance:BTCUSDT:LONG Filled: 0\.02 at /,
    );
    expect(await cli.done('positions')).toContain('There are no open positions.');
    await cli.done('kill-switch', 'off');
  });
});
