// What the tests of /signals share: a record as it is listed, and ways to store and list in few words.

import { expect } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';

export interface Listed {
  readonly signal_id: string;
  readonly timestamp: number;
  readonly symbol: string;
  readonly signal_type: string;
  readonly source: string;
  readonly decision: string;
}

export const MAX_TIMESTAMP_MS = 253_402_300_799_999;

export const store = (gateway: TestGateway, fields: Record<string, unknown> = {}): Promise<Sent> =>
  gateway.request('POST', '/signals', { symbol: 'BTCUSDT', signal_type: 'LONG', ...fields });

export async function stored(gateway: TestGateway, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await store(gateway, fields);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.result.signalId;
}

export async function listed(gateway: TestGateway, query: Record<string, string | number> = {}): Promise<Listed[]> {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
  );
  const { status, body } = await gateway.request('GET', `/signals?${text}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result;
}

/** The whole list, page by page, as a client goes through it. */
export async function pages(
  gateway: TestGateway,
  limit: number,
  query: Record<string, string> = {},
): Promise<readonly Listed[]> {
  const seen: Listed[] = [];
  for (;;) {
    const last = seen.at(-1);
    const page = await listed(gateway, { ...query, limit, ...(last && { before: last.signal_id }) });
    seen.push(...page);
    if (page.length < limit) return seen;
  }
}
