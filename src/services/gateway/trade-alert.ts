// The alert of a deployed script that trades: its message is read as a mail's text is, and passes the gates under a webhook key.
//
// The script process sends an alert again whenever it does not know whether the last try arrived. The alert's id is a UUID
// and takes the place of its idempotency key, so whichever of the two processes dies in between, it trades once. And it is told as
// traded, whatever has become of its key, of the switch or of its age since.

import { Refusal } from '../../http/errors.ts';
import type { Journal } from '../../trading/books/journal.ts';
import { acceptFrom, type ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import { readEmail } from './read-email.ts';

export interface AlertTraderDeps {
  readonly signal: SignalDeps;
  /** The sender that a key id stands for, while the key is active. */
  readonly senderOf: (keyId: string) => Sender | undefined;
  readonly journal: Pick<Journal, 'claimant'>;
  readonly nextRequestId: () => string;
  /** Older alerts are not traded: their moment has passed. */
  readonly maxAgeMs: number;
}

export interface ScriptAlert {
  readonly keyId: string;
  readonly eventId: string;
  readonly message: string;
  readonly createdAtMs: number;
}

/** What became of it, as plain data: it crosses a process. */
export interface AlertTraded {
  readonly status: number;
  readonly requestId: string;
  readonly code?: string;
  readonly error?: string;
  readonly tradeStatus?: string;
  /** The same alert had traded before. */
  readonly originalRequestId?: string;
}

export interface AlertTrader {
  /** Whose key that is; undefined for one that opens nothing. */
  identify(apiKey: string): { readonly keyId: string; readonly label: string } | undefined;
  /** Never rejects: a refusal is an outcome. */
  trade(alert: ScriptAlert): Promise<AlertTraded>;
}

export function createAlertTrader(deps: AlertTraderDeps): AlertTrader {
  return {
    identify(apiKey) {
      const sender = deps.signal.keepers.authenticate(apiKey);
      return sender && { keyId: sender.keyId, label: sender.label };
    },
    async trade(alert) {
      const requestId = deps.nextRequestId();
      try {
        return await traded(alert, requestId, deps);
      } catch (error) {
        if (error instanceof Refusal)
          return { status: 400, requestId, code: error.code, error: error.detail ?? error.code };
        deps.signal.onFault(error, requestId);
        return { status: 500, requestId, code: 'INTERNAL', error: 'internal error; the log has the details' };
      }
    },
  };
}

async function traded(alert: ScriptAlert, requestId: string, deps: AlertTraderDeps): Promise<AlertTraded> {
  const { signal, journal } = deps;
  const read = readEmail({ text: alert.message }, signal.symbols);
  const order = { ...read.order, idempotencyKey: read.order.idempotencyKey ?? alert.eventId };
  const nowMs = signal.nowMs();
  const original = await journal.claimant(order.idempotencyKey, nowMs - signal.keepers.idempotencyWindowMs);
  if (original !== undefined)
    return { status: 409, requestId, code: 'DUPLICATE_SIGNAL', error: 'it has traded', originalRequestId: original };
  return trade(alert, { ...read, order }, requestId, nowMs, deps);
}

async function trade(
  { keyId, createdAtMs }: ScriptAlert,
  { apiKey, order, warnings }: ReturnType<typeof readEmail>,
  requestId: string,
  nowMs: number,
  { signal, senderOf, maxAgeMs }: AlertTraderDeps,
): Promise<AlertTraded> {
  const no = (status: number, code: string, error: string): AlertTraded => ({ status, requestId, code, error });
  const sender = senderOf(keyId);
  if (sender === undefined) return no(403, 'AUTHENTICATION_FAILED', 'its webhook key was revoked; deploy it anew');
  if (nowMs - createdAtMs > maxAgeMs)
    return no(409, 'STALE_SIGNAL', `it is older than ${maxAgeMs / 1000} s (SIGNAL_MAX_AGE_S); its moment has passed`);
  if (apiKey !== undefined && signal.keepers.authenticate(apiKey)?.keyId !== keyId)
    return no(403, 'AUTHENTICATION_FAILED', 'apiKey in its message is not the key of the target; remove it there');
  const candidate: ProvedCandidate = {
    requestId,
    receivedAtMs: nowMs,
    source: 'script',
    order,
    warnings,
  };
  const { status, body } = await processSignal(candidate, acceptFrom(sender, candidate, signal.keepers), signal);
  const { code, error, originalRequestId, tradeResult } = body as {
    readonly code?: string;
    readonly error?: string;
    readonly originalRequestId?: string;
    readonly tradeResult?: { readonly status: string } | null;
  };
  return {
    status,
    requestId,
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(originalRequestId !== undefined && { originalRequestId }),
    ...(tradeResult && { tradeStatus: tradeResult.status }),
  };
}
