// /api/deployments over deployments in the test's hands, with the keys of two users.

import { checkAnswersOf } from '../../../../tests/support/checked-app.ts';
import type { KitContext } from '../../../http/context.ts';
import { mountEndpoints } from '../../../http/mount-endpoints.ts';
import { statusShape } from '../../../http/status-shape.ts';
import { createFixture, type Fixture } from '../../../http/testing/app-fixture.ts';
import { ANN, BOB, type TestSetup } from '../../../library/deployments/testing/open-test-setup.ts';
import { deploymentEndpoints } from '../deployments.ts';
import { SCRIPTS_ERRORS } from '../errors.ts';
import { createAuthenticate } from '../require-key.ts';
import { createStorageGuard } from '../storage-refusal.ts';

export const ANNS_KEY = `pn_${'1'.repeat(48)}`;
export const BOBS_KEY = `pn_${'2'.repeat(48)}`;
export const WEBHOOK_KEY = `whk_${'k'.repeat(43)}`;
export const WANTED = {
  scriptId: 'cross',
  symbol: 'BINANCE:BTCUSDT.P',
  interval: '1m',
  targets: [{ type: 'webhook', url: 'https://example.com/hook', secret: 'a-long-secret' }],
};

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    readonly code: string;
    readonly message: string;
    readonly diagnostics: readonly object[];
    readonly deployment: Record<string, unknown> & { readonly id: string };
    readonly deployments: readonly { readonly id: string }[];
    readonly logs: readonly { readonly kind: string; readonly at: number }[];
  };
}

export type Send = (method: string, path: string, body?: unknown, key?: string) => Promise<Sent>;

/** `isBound`: false where no database for scripts is bound. */
export function openDeployments(setup: TestSetup, isBound = true) {
  const faults: unknown[] = [];
  const fixture: Fixture = createFixture({
    service: 'scripts',
    errors: SCRIPTS_ERRORS,
    shape: statusShape,
    defaultBodyLimitBytes: 1024 * 1024,
  });
  checkAnswersOf(fixture.app);
  const stored = createStorageGuard((error) => faults.push(error));
  const known = [ANNS_KEY, BOBS_KEY];
  const lookup = async (key: string) =>
    known.includes(key) ? ({ key, tier: 'hobby', createdAtMs: 1 } as never) : undefined;
  const byKey = createAuthenticate({ durableDatabase: true, lookup, allowOpenKeys: false }, stored);
  const authenticate = async (c: KitContext) => {
    const auth = await byKey(c);
    return { ...auth, userId: auth.key === ANNS_KEY ? ANN : BOB };
  };
  const endpoints = deploymentEndpoints({
    authenticate,
    deployments: isBound ? setup.deployments : undefined,
    identifyKey: async (apiKey) => (apiKey === WEBHOOK_KEY ? { keyId: '0123456789ab', label: 'tv' } : undefined),
    stored,
    monotonicMs: setup.clock.nowMs,
  });
  mountEndpoints(fixture.app, endpoints, { internal: () => {}, scriptKey: async (c) => void (await authenticate(c)) });
  const send: Send = async (method, path, body, key = ANNS_KEY) => {
    const init = {
      method,
      headers: key === '' ? {} : { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const answer = await fixture.app.request(path, init, { peer: '198.51.100.1' });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  };
  return { fixture, faults, send };
}
