// What every test of the gateway asks of an answer, and gateways that are closed when their file ends.

import { expect } from 'vitest';
import type { GatewayErrorCode } from '../../src/services/gateway/errors.ts';
import { GATEWAY_ERRORS } from '../../src/services/gateway/index.ts';
import { closeAtEnd, closeWithFile } from '../support/close-at-end.ts';
import { type GatewayOptions, openGateway, type Sent, type TestGateway } from '../support/gateway.ts';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const KEY_1 = '123e4567-e89b-42d3-a456-426614174000';
export const KEY_2 = '223e4567-e89b-42d3-a456-426614174000';

/** Far longer than anything in the background takes, also on a busy machine. */
const PATIENCE_MS = 30_000;

/** Is closed when its test ends, or its file if no test has opened it; a test may close it earlier to open its folder again. */
export const freshGateway = (options: GatewayOptions = {}): Promise<TestGateway> => opened(options, closeAtEnd);

/** The same folder again, as after a restart, for this test and those after it. */
export const reopened = (options: GatewayOptions): Promise<TestGateway> => opened(options, closeWithFile);

async function opened(options: GatewayOptions, closeLater: typeof closeAtEnd): Promise<TestGateway> {
  const gateway = await openGateway(options);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= gateway.close();
    return closing;
  };
  closeLater(close);
  return { ...gateway, close };
}

/** The request id is a UUID and the same in body and header; nothing may be sniffed or stored. */
export function expectEnvelope({ headers, body }: Sent): void {
  expect(body.requestId).toMatch(UUID);
  expect(headers.get('x-request-id')).toBe(body.requestId);
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
}

/** Exactly the error shape, with these further fields and no others. */
export function expectRefusal(sent: Sent, code: GatewayErrorCode, ...further: string[]): void {
  expect([sent.status, sent.body.code]).toEqual([GATEWAY_ERRORS[code].status, code]);
  expect(Object.keys(sent.body)).toEqual(['success', 'requestId', 'error', 'code', ...further]);
  expect(sent.body.success).toBe(false);
  expect(typeof sent.body.error).toBe('string');
  expect(sent.body.error.length).toBeGreaterThan(10);
  expectEnvelope(sent);
}

/** A 400 with one sentence per fault, each naming its field. */
export function expectFaults(sent: Sent, ...fields: string[]): void {
  expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
  expect(sent.body.faults.map((fault: string) => fault.split(':')[0])).toEqual(fields);
  expect(sent.body.error).toBe(sent.body.faults.join('; '));
}

export function expectFilled(sent: Sent): void {
  expect([sent.status, sent.body.tradeResult?.status]).toEqual([200, 'Filled']);
}

export function expectDuplicateOf(sent: Sent, original: Sent): void {
  expectRefusal(sent, 'DUPLICATE_SIGNAL', 'originalRequestId');
  expect(sent.body.originalRequestId).toBe(original.body.requestId);
}

/** How many trades the journal has. */
export async function tradeCount(gateway: TestGateway): Promise<number> {
  return (await gateway.request('GET', '/trades?limit=100')).body.result.length;
}

/** Waits for what happens in the background; works in tests that run side by side. */
export async function eventually<T>(read: () => T | Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (performance.now() > untilMs) throw new Error(`it stayed ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends a good signal with one field replaced, and expects exactly that field to be named. */
export async function expectFault(gateway: TestGateway, field: string, value: unknown, words: string): Promise<void> {
  const before = await tradeCount(gateway);
  const sent = await gateway.send({ [field]: value });
  expectFaults(sent, field);
  expect(sent.body.error).toContain(words);
  expect(await tradeCount(gateway)).toBe(before);
}
