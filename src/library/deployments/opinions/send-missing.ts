// Sends an alert of TradingView's that did not come, under the name that it would have had.
//
// The gateway knows the signal by two names. Its own one, made of the event and the key, makes sending it again harmless,
// after a crash too. The name of the alert makes TradingView's own a duplicate when it comes after all, and ours one when
// it has come at the same moment. Whoever is second does not trade.

import { errorText } from '../../../errors/error-text.ts';
import type { Deployment, OpinionTarget } from '../deployment.ts';
import { PASSING, type TradePort } from '../targets.ts';
import { type ExpectedAlert, SENT_BY_US } from './opinion.ts';

/** Undefined where it may be tried again. */
export type Sent = { readonly words: string; readonly isTraded: boolean } | undefined;

export async function sendMissing(
  trades: Pick<TradePort, 'trade'>,
  { eventId, message, atMs: createdAtMs }: ExpectedAlert,
  { keyId, keyLabel }: OpinionTarget,
  { mode, barsFrom }: Pick<Deployment, 'mode' | 'barsFrom'>,
): Promise<Sent> {
  if (mode === 'dry-run') return { words: `dry run, not sent: ${message}`, isTraded: false };
  try {
    const answer = await trades.trade({
      ...{ keyId, keyLabel, eventId, message, createdAtMs },
      barsFrom: barsFrom ?? undefined,
    });
    const { status, requestId, code = '', error, originalRequestId, tradeStatus = 'Enqueued' } = answer;
    if (status < 300) return { words: `${SENT_BY_US}: ${tradeStatus} as ${requestId}`, isTraded: true };
    // After a crash between sending and writing it down.
    if (originalRequestId !== undefined) return { words: `${SENT_BY_US} as ${originalRequestId}`, isTraded: true };
    if (code === 'DUPLICATE_SIGNAL') return { words: "not sent: TradingView's alert came first", isTraded: false };
    return PASSING.has(code)
      ? undefined
      : { words: `not sent under the key "${keyLabel}": ${error ?? code}`, isTraded: false };
  } catch (error) {
    if ((error as { retryable?: boolean }).retryable !== false) return undefined;
    return { words: `not sent: ${errorText(error)}`, isTraded: false };
  }
}
