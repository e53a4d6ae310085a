// POST /webhook and POST /webhook/tradingview: read, ask the gates, dispatch, answer.

import { hash } from 'node:crypto';
import type { Door } from '../../http/door.ts';
import { acceptSignal, type Candidate } from '../../trading/accept-signal.ts';
import type { SignalSource } from '../../trading/signal.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import type { ReadSignal } from './read-signal.ts';

/** A signal is a few hundred bytes; this leaves room for a long notification text. */
export const WEBHOOK_BODY_LIMIT = 64 * 1024;

export type WebhookDeps = SignalDeps;

export function createWebhookDoor(
  deps: WebhookDeps,
  source: SignalSource,
  read: (body: Uint8Array) => ReadSignal,
): Door {
  return (call) => {
    // Faults of shape come first: the kit turns the thrown refusal into its answer.
    const { apiKey, order } = read(call.body);
    const candidate: Candidate = {
      requestId: call.requestId,
      receivedAtMs: deps.nowMs(),
      source,
      apiKey,
      address: call.clientAddress,
      order,
      bodyDigest: order.idempotencyKey === undefined ? hash('sha256', call.body, 'buffer') : undefined,
    };
    return processSignal(candidate, acceptSignal(candidate, deps.keepers), deps);
  };
}
