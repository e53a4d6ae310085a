// POST /email-signal: the text of a mail that somebody of ours has received, through the same gates as the webhook.

import { hash } from 'node:crypto';
import type { AnswerCall, Call, Endpoint } from '../../http/endpoint.ts';
import { acceptFrom, acceptSignal, type ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import { hasClaim } from '../../trading/intake/alert-claim.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import type { MailContent } from '../../trading/intake/mail/read-mail.ts';
import { withoutKnownKeys } from './known-keys.ts';
import type { FindSymbol } from './map-symbol.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import { emailSchema, type ReadEmail, readEmail, readPostedEmail } from './read-email.ts';
import { readJsonBody } from './read-signal.ts';
import type { ReadOrder } from './remember-refusals.ts';
import { refused, SIGNAL_RESPONSES } from './responses.ts';
import { WEBHOOK_BODY_LIMIT } from './webhook.ts';

/** The internal token has proved the caller. No webhook key can have this id: those are hex digits. */
export const EMAIL_SENDER: Sender = { keyId: 'email-signal', label: 'email' };

export const emailEndpoints = (deps: SignalDeps): readonly Endpoint[] => [
  {
    method: 'post',
    path: '/email-signal',
    unknownQuery: 'ignored',
    summary: 'Send the text of a mail that holds a trade signal',
    tags: ['Signals'],
    body: emailSchema,
    bodyExample: { subject: 'BTC', text: 'LONG 0.01 BTCUSDT on binance' },
    bodyLimitBytes: WEBHOOK_BODY_LIMIT,
    responses: { ...SIGNAL_RESPONSES, 401: refused('UNAUTHORIZED') },
    answer: answerEmail(deps),
  },
];

/** What a body asked for, for whoever looks at it after its answer. */
export const readEmailAgain = (body: Uint8Array, symbols?: FindSymbol): ReadOrder => ({
  source: 'email',
  ...readPostedEmail(readJsonBody(body), symbols),
});

function answerEmail(deps: SignalDeps): AnswerCall {
  return (call) => {
    const { apiKey, candidate } = candidateOf(readPostedEmail(readJsonBody(call.body), deps.symbols), call, deps);
    const from = { ...candidate, address: call.clientAddress };
    const verdict =
      apiKey === undefined
        ? acceptFrom(EMAIL_SENDER, from, deps.keepers)
        : acceptSignal({ ...from, apiKey }, deps.keepers);
    return processSignal(from, verdict, deps);
  };
}

type MailReading = Pick<SignalDeps, 'keepers' | 'knownKeys' | 'symbols' | 'nowMs'>;

/** The text of a mail as it goes to the gates, with the key that stood in it. */
export const readMailCandidate = (mail: MailContent, call: Pick<Call, 'requestId' | 'body'>, reading: MailReading) =>
  candidateOf(readEmail(mail, reading.symbols), call, reading);

function candidateOf(
  { apiKey, order: asRead, warnings }: ReadEmail,
  { requestId, body }: Pick<Call, 'requestId' | 'body'>,
  { keepers, knownKeys = [], nowMs }: MailReading,
): { readonly apiKey: string | undefined; readonly candidate: ProvedCandidate } {
  const isKnown = (): boolean => apiKey === undefined || keepers.authenticate(apiKey) !== undefined;
  const order = withoutKnownKeys(asRead, knownKeys, isKnown);
  const bodyDigest = hasClaim(order) ? undefined : hash('sha256', body, 'buffer');
  return { apiKey, candidate: { requestId, receivedAtMs: nowMs(), source: 'email', order, warnings, bodyDigest } };
}
