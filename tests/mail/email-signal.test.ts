// POST /email-signal through the front door: the forms of a mail, its faults, and the same gates as the webhook.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import {
  expectDuplicateOf,
  expectEnvelope,
  expectFaults,
  expectFilled,
  expectRefusal,
  freshGateway,
  KEY_1,
  tradeCount,
} from '../webhook/answers.ts';

const COMMAND = 'LONG 0.01 BTCUSDT on binance';
const LINES = 'exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01';
const post = (
  gateway: TestGateway,
  body: unknown,
  from?: { peer?: string; headers?: Record<string, string> },
): Promise<Sent> => gateway.request('POST', '/email-signal', body, from);

const gateway = await freshGateway();

describe('a mail with a signal', () => {
  it.each([
    ['text', { text: COMMAND }],
    ['body', { body: COMMAND }],
    ['body when the text is blank', { text: ' \n', body: COMMAND }],
    ['text before body', { text: COMMAND, body: 'SHORT 5 ETHUSDT on bybit' }],
    ['subject alone', { subject: COMMAND }],
    ['subject and text alike', { subject: COMMAND, text: LINES }],
    ['lines', { text: LINES }],
    ['JSON', { text: JSON.stringify({ exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 }) }],
    ['HTML', { text: `<html><body><p>${COMMAND}</p></body></html>` }],
    ['HTML in the body', { body: `<div>${LINES.replaceAll('\n', '</div><div>')}</div>` }],
    ['a mail with a quote and a signature', { text: `${COMMAND}\n\n-- \nAnn\n` }],
  ])('trades: %s', async (_, body) => {
    const before = await tradeCount(gateway);
    const sent = await post(gateway, body);
    expectFilled(sent);
    expectEnvelope(sent);
    expect(Object.keys(sent.body)).toEqual(['success', 'requestId', 'tradeResult', 'notificationResult']);
    expect(await tradeCount(gateway)).toBe(before + 1);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({
      ...{ source: 'email', keyLabel: 'email', exchange: 'binance', action: 'LONG', market: 'BTCUSDT', quantity: 0.01 },
    });
  });

  it('closes with "close long", at the limit price, with the leverage', async () => {
    expectFilled(await post(gateway, { text: 'LONG 2 ETHUSDT on bybit' }));
    const sent = await post(gateway, { text: 'close long ETHUSDT 2 bybit' });
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ action: 'CLOSE_LONG', quantity: 2 });
    const resting = await post(gateway, { text: 'LONG 0.01 BTCUSDT on bybit at 1000.5 x7' });
    expect(resting.body.tradeResult.status).toBe('Submitted');
    expect(await gateway.trade(resting.body.requestId)).toMatchObject({ price: 1000.5, leverage: 7 });
  });

  it('keeps every digit of its numbers', async () => {
    const sent = await post(gateway, { text: LINES.replace('0.01', '0.012') });
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ quantity: 0.012 });
  });

  it('is stored as a signal of the source email', async () => {
    const sent = await post(gateway, { text: COMMAND });
    const { result } = (await gateway.request('GET', '/signals?source=email&limit=1')).body;
    expect(result).toMatchObject([{ signal_id: sent.body.requestId, source: 'email', decision: 'accepted' }]);
  });

  it('may notify, when it is JSON', async () => {
    const json = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, notify: { chatId: '1' } };
    const sent = await post(gateway, { text: JSON.stringify(json) });
    expectFilled(sent);
    expect(sent.body.notificationResult).not.toBeNull();
  });
});

describe('a mail without one clear signal', () => {
  it.each([
    ['nothing missing but the exchange', { text: 'LONG 0.01 BTCUSDT' }, ['exchange']],
    ['no action', { text: '0.01 BTCUSDT on binance' }, ['action']],
    ['no symbol', { text: 'LONG 0.01 on binance' }, ['symbol']],
    ['no quantity', { text: 'LONG BTCUSDT on binance' }, ['quantity']],
    ['lines without two fields', { text: 'exchange: binance\nsymbol: BTCUSDT' }, ['action', 'quantity']],
    ['JSON without two fields', { text: '{"exchange":"binance","symbol":"BTCUSDT"}' }, ['action', 'quantity']],
    [
      'JSON with a quoted number',
      { text: '{"exchange":"binance","action":"LONG","symbol":"BTCUSDT","quantity":"1"}' },
      ['quantity'],
    ],
    ['JSON with a name twice', { text: '{"exchange":"binance","exchange":"bybit"}' }, ['text']],
    ['prose', { text: 'we are long BTCUSDT 2 years on binance' }, ['text']],
    ['solution selling', { subject: 'solution selling', text: 'solution selling' }, ['text']],
    ['two signals', { text: `${COMMAND}\nSHORT 1 ETHUSDT on bybit` }, ['text']],
    ['another signal in the subject', { subject: 'SHORT 1 ETHUSDT on bybit', text: COMMAND }, ['text']],
    ['nothing', {}, ['text']],
    ['blank', { text: '', body: ' ' }, ['text']],
    ['thousands', { text: 'LONG 1,000.5 BTCUSDT on binance' }, ['quantity']],
    ['a comma', { text: LINES.replace('0.01', '0,5') }, ['quantity']],
    ['zero', { text: LINES.replace('0.01', '0') }, ['quantity']],
    ['less than zero', { text: LINES.replace('0.01', '-1') }, ['quantity']],
    ['too much', { text: LINES.replace('0.01', '1000000000000001') }, ['quantity']],
    ['too little', { text: LINES.replace('0.01', '0.0000000000001') }, ['quantity']],
    ['half a leverage', { text: `${COMMAND} x2.5` }, ['leverage']],
    ['no leverage', { text: `${COMMAND} x0` }, ['leverage']],
    ['a price of nothing', { text: `${COMMAND} at 0` }, ['price']],
    ['a symbol too long', { text: LINES.replace('BTCUSDT', 'B'.repeat(21)) }, ['symbol']],
    ['a symbol that names nothing', { text: LINES.replace('BTCUSDT', '...') }, ['symbol']],
    ['an idempotency key that is none', { text: `${LINES}\nidempotencyKey: 1` }, ['idempotencyKey']],
    ['a stop that is no price', { text: `${LINES}\nstopLoss: 0` }, ['stopLoss']],
    ['text that is no text', { text: 5 }, ['text']],
    ['a subject that is no text', { subject: null, text: COMMAND }, ['subject']],
    ['a list', [COMMAND], ['body']],
  ])('is 400 and names it: %s', async (_, body, fields) => {
    const before = await tradeCount(gateway);
    expectFaults(await post(gateway, body), ...fields);
    expect(await tradeCount(gateway)).toBe(before);
  });

  it('is told how to write numbers', async () => {
    expect((await post(gateway, { text: 'LONG 0,5 BTCUSDT on binance' })).body.error).toContain('such as 1000.5');
  });

  it('that is not JSON around the mail is INVALID_JSON', async () => {
    expectRefusal(await post(gateway, COMMAND), 'INVALID_JSON');
    expectRefusal(await post(gateway, ''), 'INVALID_JSON');
  });

  it('is 413 from the first byte beyond 64 KiB', async () => {
    const around = JSON.stringify({ text: '' }).length;
    expectFaults(await post(gateway, { text: 'x'.repeat(65_536 - around) }), 'text');
    expectRefusal(await post(gateway, { text: 'x'.repeat(65_537 - around) }), 'PAYLOAD_TOO_LARGE');
  });
});

describe('the gates', () => {
  it('want the internal token', async () => {
    const guarded = await freshGateway({ internalToken: 'a-token-of-the-owner' });
    expectRefusal(await post(guarded, { text: COMMAND }), 'UNAUTHORIZED');
    expectRefusal(await post(guarded, 'not even JSON'), 'UNAUTHORIZED');
    expectFilled(
      await post(guarded, { text: COMMAND }, { headers: { 'x-internal-auth-key': 'a-token-of-the-owner' } }),
    );
    expectRefusal(await post(gateway, { text: COMMAND }, { peer: '198.51.100.1' }), 'UNAUTHORIZED');
  });

  it('check the address of the caller', async () => {
    const listed = await freshGateway({ controls: { allowlist: ['203.0.113.1'] } });
    expectRefusal(await post(listed, { text: COMMAND }), 'ADDRESS_BLOCKED');
    await listed.request('PUT', '/admin/allowlist', { entries: ['127.0.0.1'] });
    expectFilled(await post(listed, { text: COMMAND }));
  });

  it('limit the rate', async () => {
    const slow = await freshGateway({ controls: { limits: { webhookRatePerMinute: 1, failedAuthPerMinute: 30 } } });
    expectFilled(await post(slow, { text: COMMAND }));
    const sent = await post(slow, { text: COMMAND });
    expectRefusal(sent, 'RATE_LIMITED');
    expect(sent.headers.get('retry-after')).toBe('60');
    expectFilled(await slow.send());
  });

  it('obey the kill switch, and let closes pass where it lets them', async () => {
    const stopped = await freshGateway();
    expectFilled(await post(stopped, { text: COMMAND }));
    await stopped.request('PUT', '/admin/kill-switch', { active: true, scope: 'entries' });
    expectRefusal(await post(stopped, { text: COMMAND }), 'KILL_SWITCH_ACTIVE');
    expectFilled(await post(stopped, { text: 'close long BTCUSDT 0.01 binance' }));
    await stopped.request('PUT', '/admin/kill-switch', { active: true });
    expectRefusal(await post(stopped, { text: 'close long BTCUSDT 0.01 binance' }), 'KILL_SWITCH_ACTIVE');
  });

  it('know a duplicate by its key, also one of the webhook', async () => {
    const sent = await post(gateway, { text: `${COMMAND}\nidempotencyKey: ${KEY_1}` });
    expectFilled(sent);
    expectDuplicateOf(await post(gateway, { text: `${LINES}\nIdempotency-Key: ${KEY_1.toUpperCase()}` }), sent);
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), sent);
  });

  it('let fifty at one instant trade once', async () => {
    const body = { text: `${COMMAND}\nidempotencyKey: 323e4567-e89b-42d3-a456-426614174000` };
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(gateway, body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
  });

  it('let a resend trade after a 5xx that certainly sent nothing', async () => {
    const venue = createScriptedVenue();
    const direct = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
    venue.down = 'not-sent';
    expectRefusal(await post(direct, { text: COMMAND }), 'VENUE_UNREACHABLE', 'tradeResult', 'notificationResult');
    venue.down = undefined;
    expectFilled(await post(direct, { text: COMMAND }));
    expect(venue.sent).toHaveLength(1);
  });

  it('answer 202 in async mode, and 422 when the venue says no', async () => {
    const queued = await freshGateway({ controls: { queueMode: 'async' } });
    const sent = await post(queued, { text: COMMAND });
    expect([sent.status, sent.body.status]).toEqual([202, 'Enqueued']);
    await queued.until(sent.body.requestId, 'Filled');
    expectRefusal(
      await post(gateway, { text: 'close short SOLUSDT 1 mexc' }),
      'ORDER_REJECTED',
      'tradeResult',
      'notificationResult',
    );
  });
});

describe('a webhook key in the text', () => {
  const withKey = (apiKey: string) => ({ text: `${COMMAND}\napiKey: ${apiKey}` });

  it('counts: its label, its scope, its end', async () => {
    const apiKey = await gateway.keyWith('narrow', { symbols: ['BTCUSDT'] });
    const sent = await post(gateway, withKey(apiKey));
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ keyLabel: 'narrow', source: 'email' });
    expectRefusal(await post(gateway, { text: `LONG 1 ETHUSDT on binance\napiKey: ${apiKey}` }), 'KEY_OUT_OF_SCOPE');
    await gateway.keys.revoke(gateway.keys.findByLabel('narrow')?.keyId ?? '');
    expectRefusal(await post(gateway, withKey(apiKey)), 'AUTHENTICATION_FAILED');
  });

  it('is stored nowhere', async () => {
    const place = await freshGateway();
    const json = JSON.stringify({
      ...place.signal(),
      apiKey: place.apiKey,
      notify: { message: `key ${place.apiKey}` },
    });
    const answers = [
      await post(place, { text: json }),
      await post(place, withKey(place.apiKey)),
      await post(place, { subject: place.apiKey, text: `{"a":${place.apiKey}}` }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(place.apiKey);
    await place.close();
    const files = readdirSync(place.dataDir);
    expect(files).toContain('signalbox.db');
    for (const name of files)
      expect([name, readFileSync(join(place.dataDir, name)).includes(place.apiKey)]).toEqual([name, false]);
  });
});
