// The error table and the way from a thrown thing to an answer.
import { describe, expect, test } from 'vitest';
import { ClientGone, defineErrors, failureOf, Refusal } from './errors.ts';
import { gatewayShape, kitRows } from './testing/app-fixture.ts';

const table = defineErrors({ ...kitRows, KILL_SWITCH: { status: 503, message: 'Trading is off. Turn it on.' } });
const failure = (thrown: unknown) => failureOf(thrown, table, gatewayShape, 'id-1');

describe('the error table', () => {
  test('is frozen, rows included', () => {
    expect(Object.isFrozen(table)).toBe(true);
    expect(Object.isFrozen(table.KILL_SWITCH)).toBe(true);
  });

  test.each([
    ['lower', { status: 400, message: 'x' }, /upper case/],
    ['A_STATUS', { status: 399, message: 'x' }, /status 399/],
    ['A_STATUS', { status: 600, message: 'x' }, /status 600/],
    ['A_STATUS', { status: 400.5, message: 'x' }, /status 400.5/],
    ['SILENT', { status: 400, message: ' ' }, /message is empty/],
  ])('refuses the faulty row %s %o', (code, row, message) => {
    expect(() => defineErrors({ ...kitRows, [code]: row })).toThrow(message);
  });

  test.each([400, 599])('accepts the boundary status %i', (status) => {
    expect(defineErrors({ ...kitRows, EDGE: { status, message: 'x' } }).EDGE.status).toBe(status);
  });

  test('names all its faults at once', () => {
    const faulty = { ...kitRows, bad: { status: 1, message: '' } };
    expect(() => defineErrors(faulty)).toThrow(/upper case.*status 1.*message is empty/);
  });
});

describe('a failure', () => {
  test('takes status and message from the table', () => {
    expect(failure(new Refusal('KILL_SWITCH'))).toEqual({
      status: 503,
      body: { success: false, requestId: 'id-1', error: 'Trading is off. Turn it on.', code: 'KILL_SWITCH' },
      headers: {},
      unexpected: false,
    });
  });

  test('carries the detail, the headers and the extra fields of the refusal', () => {
    const refusal = new Refusal('RATE_LIMITED', 'Wait 3 s.', { headers: { 'retry-after': '3' }, extra: { limit: 5 } });
    expect(failure(refusal)).toMatchObject({
      status: 429,
      body: { error: 'Wait 3 s.', code: 'RATE_LIMITED', limit: 5 },
      headers: { 'retry-after': '3' },
    });
  });

  test.each([
    new Error('/home/secret'),
    'text',
    undefined,
    null,
    { code: 'KILL_SWITCH' },
    new Refusal('NO_SUCH_CODE'),
    new Refusal('toString'),
  ])('hides the text of an unknown exception (%s)', (thrown) => {
    const answer = failure(thrown);
    expect(answer).toMatchObject({ status: 500, unexpected: true, body: { code: 'INTERNAL' } });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  test('of a client that hung up is none of ours', () => {
    expect(failure(new ClientGone('gone'))).toMatchObject({ status: 499, unexpected: false });
  });
});
