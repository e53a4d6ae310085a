// The signal of a refusal, from what is kept of its body: only where nothing of it but the key was struck out.

import type { ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import type { RefusedSignal } from '../../trading/intake/refusals.ts';
import { readSignal } from './read-signal.ts';
import { readTradingview } from './read-tradingview.ts';

const STRUCK_OUT = '***';
/** In the place of the key, which is not kept: its label tells whose it was. */
const NO_KEY = 'replayed';

/** Undefined where too little was kept, where it never was a signal, or where nothing would tell again that it is a duplicate. */
export function readRefused({ id, receivedAtMs, door, code, body }: RefusedSignal): ProvedCandidate | undefined {
  const fields = fieldsOf(body);
  if (fields === undefined || Object.values(fields).includes(STRUCK_OUT)) return undefined;
  if (code === 'DUPLICATE_SIGNAL' && fields.idempotencyKey === undefined && fields.alertId === undefined)
    return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify({ ...fields, apiKey: NO_KEY }));
  try {
    const isTradingView = door.endsWith('/tradingview');
    const { order } = isTradingView ? readTradingview(bytes) : readSignal(bytes);
    return { requestId: id, receivedAtMs, source: isTradingView ? 'tradingview' : 'webhook', order };
  } catch {
    return undefined;
  }
}

/** Without the key. */
function fieldsOf(body: string): Record<string, unknown> | undefined {
  if (body === '') return undefined;
  const { apiKey: _, ...fields } = JSON.parse(body) as Record<string, unknown>;
  return fields;
}
