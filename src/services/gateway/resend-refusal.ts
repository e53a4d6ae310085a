// POST /refusals/{id}/resend: a refused signal goes through the same gates again, under the key it came with, and never twice.

import { z } from 'zod';
import type { Answer } from '../../http/answer.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { Journal, Trade } from '../../trading/books/journal.ts';
import { ZERO } from '../../trading/decimal.ts';
import { acceptFrom, type ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import type { Refusals, RefusedOrder, RefusedSignal } from '../../trading/intake/refusals.ts';
import { RESEND_WINDOW_MS } from '../../trading/intake/resend-guard.ts';
import { mapAgain } from './map-symbol.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import { refused, SIGNAL_RESPONSES } from './responses.ts';
import { errorSchema } from './schemas.ts';

export interface ResendDeps {
  readonly signal: SignalDeps;
  readonly refusals: Pick<Refusals, 'find'>;
  readonly journal: Pick<Journal, 'trade'>;
  /** The sender that a key id stands for, while the key is active. */
  readonly senderOf: (keyId: string) => Sender | undefined;
  /** Older signals are not traded: their moment has passed. */
  readonly maxAgeMs: number;
}

export const resendEndpoint = (deps: ResendDeps | undefined): Endpoint => ({
  method: 'post',
  path: '/refusals/{id}/resend',
  summary: 'Send a refused signal again after its cause is mended',
  tags: ['Signals'],
  params: z.object({ id: z.string().meta({ examples: ['$REQUEST_ID'] }) }),
  responses: {
    ...SIGNAL_RESPONSES,
    404: refused('REFUSAL_NOT_FOUND'),
    409: {
      description:
        'NOT_RESENDABLE: it could not be read, its key has ended, its symbol is not mapped, or it may have traded; STALE_SIGNAL: its moment has passed; DUPLICATE_SIGNAL: it has traded since',
      schema: errorSchema.extend({ originalRequestId: z.string().optional() }),
    },
    503: refused('KILL_SWITCH_ACTIVE, NOT_TRADING'),
  },
  async handler(c) {
    if (!deps) throw new Refusal('NOT_TRADING', 'Signalbox is not running here, so nothing was sent; start it first');
    const { status, body, headers } = await resendRefusal(paramOf(c, 'id'), c.var.requestId, deps);
    return c.json(body as object, status as 200, headers as Record<string, string>);
  },
});

export async function resendRefusal(id: string, requestId: string, deps: ResendDeps): Promise<Answer> {
  const refusal = await deps.refusals.find(id);
  if (!refusal) throw new Refusal('REFUSAL_NOT_FOUND');
  const { signal, sender } = await resendable(refusal, deps);
  const nowMs = deps.signal.nowMs();
  const { source, bodyDigest } = signal;
  const order = mapAgain(signal, deps.signal.symbols);
  if ('fault' in order) throw new Refusal('NOT_RESENDABLE', order.fault);
  const candidate: ProvedCandidate = {
    requestId,
    receivedAtMs: nowMs,
    source,
    ...(refusal.address !== undefined && { address: refusal.address }),
    // Two resends at one instant claim the same key, as two equal signals do.
    order: { ...order, idempotencyKey: order.idempotencyKey ?? id },
    resendOf: {
      refusalId: id,
      refusedAtMs: refusal.receivedAtMs,
      bodyDigest,
      guardUntilMs: nowMs + RESEND_WINDOW_MS,
    },
  };
  return processSignal(candidate, acceptFrom(sender, candidate, deps.signal.keepers), deps.signal);
}

async function resendable(
  { id, receivedAtMs, signal, code }: RefusedSignal,
  { signal: { nowMs }, journal, senderOf, maxAgeMs }: ResendDeps,
): Promise<{ readonly signal: RefusedOrder; readonly sender: Sender }> {
  const no = (why: string): Refusal => new Refusal('NOT_RESENDABLE', why);
  if (!signal)
    throw code === 'DUPLICATE_SIGNAL'
      ? no('it was a duplicate: its signal had been accepted before')
      : no('it could not be read or its key was not known; mend the alert and let it fire again');
  const ageMs = nowMs() - receivedAtMs;
  if (ageMs > maxAgeMs)
    throw new Refusal(
      'STALE_SIGNAL',
      `it was refused ${Math.floor(ageMs / 1000)} s ago, and a signal may be ${maxAgeMs / 1000} s old (SIGNAL_MAX_AGE_S); its moment has passed, so send a new one if you still want the trade`,
    );
  const sender = senderOf(signal.keyId);
  if (!sender) throw no('the key it came with was revoked; send the signal anew under another key');
  const own = await journal.trade(id);
  if (own?.ofSignal.some(mayHaveTraded))
    throw no(`it was accepted and has or may have an order; look at GET /trades/${id}`);
  return { signal, sender };
}

const ENDED: ReadonlySet<string> = new Set(['rejected', 'canceled', 'expired']);
const mayHaveTraded = ({ state, executedQuantity }: Trade): boolean => !ENDED.has(state) || executedQuantity !== ZERO;
