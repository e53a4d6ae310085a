// Mail for a webhook key: read, through the same gates as the webhook, and answered in the words of SMTP.

import type { Answer } from '../../http/answer.ts';
import { Refusal } from '../../http/errors.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { acceptFrom, type ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import type { Sender } from '../../trading/intake/gates.ts';
import { LIMIT_CODES } from '../../trading/intake/limit-rules.ts';
import { mailIdempotencyKey } from '../../trading/intake/mail/mail-identity.ts';
import type { MailReceiver, MailReply, ReceivedMail } from '../../trading/intake/mail/mail-receiver.ts';
import type { SignalOrder } from '../../trading/signal.ts';
import type { GatewayErrorCode } from './errors.ts';
import { withoutKnownKeys } from './known-keys.ts';
import { processSignal, type SignalDeps } from './process-signal.ts';
import { readEmail } from './read-email.ts';
import { type ReadOrder, type Refused, rememberRefusal } from './remember-refusals.ts';

export interface MailReceiverDeps extends SignalDeps {
  readonly findByLabel: (label: string) => Sender | undefined;
  readonly nextRequestId: () => string;
  /** An older mail is refused: its moment has passed, and its message id may have left the journal. */
  readonly maxAgeMs: number;
}

/** A mail from further ahead was dated by a clock that nobody should trade by. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** A reply is one line; RFC 5321 allows 512 bytes with code and line end. */
const MAX_REPLY_CHARS = 480;
const MAX_MESSAGE_ID_CHARS = 998;
const TAKEN = 250;

/**
 * Temporary only where the same mail may well be taken a little later. The kill switch is not: a server that tries again
 * would trade whenever the switch happens to be off.
 */
const REPLIES: Partial<Record<GatewayErrorCode, readonly [code: number, status: string]>> = {
  ...Object.fromEntries(LIMIT_CODES.map((code) => [code, [550, '5.7.1']])),
  INVALID_PAYLOAD: [554, '5.6.0'],
  KILL_SWITCH_ACTIVE: [550, '5.7.1'],
  RATE_LIMITED: [450, '4.7.1'],
  UNKNOWN_ACCOUNT: [554, '5.6.0'],
  VENUE_NOT_CONFIGURED: [554, '5.6.0'],
  LIVE_NOT_CONFIRMED: [550, '5.7.1'],
  UNKNOWN_SYMBOL: [554, '5.6.0'],
  ORDER_TOO_LARGE: [554, '5.0.0'],
  STALE_DATA: [554, '5.0.0'],
  OPPOSITE_POSITION: [554, '5.0.0'],
  POSITION_DIFFERS: [554, '5.0.0'],
  STOP_WRONG_SIDE: [554, '5.0.0'],
  CANNOT_SIZE: [554, '5.0.0'],
  ORDER_REJECTED: [554, '5.0.0'],
  STORAGE_FAILED: [451, '4.3.0'],
  STORAGE_UNKNOWN: [451, '4.3.0'],
  TRY_AGAIN: [451, '4.3.0'],
  VENUE_UNREACHABLE: [451, '4.4.1'],
};
/** A fault of ours: nothing says that the same mail would fail again. */
const OUR_FAULT = [451, '4.3.0'] as const;

export function createMailReceiver(deps: MailReceiverDeps): MailReceiver {
  return {
    knows: (label) => deps.findByLabel(label) !== undefined,
    async receive(mail) {
      const requestId = deps.nextRequestId();
      const answered = { requestId, ...(await replyFor(mail, requestId, deps)) };
      if (answered.code !== TAKEN && deps.memory) rememberRefusal(deps.memory, refusedMail(mail, answered, deps));
      return answered;
    },
  };
}

async function replyFor(mail: ReceivedMail, requestId: string, deps: MailReceiverDeps): Promise<MailReply> {
  try {
    return await receive(mail, requestId, deps);
  } catch (error) {
    if (error instanceof Refusal) {
      deps.count(error.code);
      return replyTo(error.code, error.detail ?? error.code);
    }
    deps.onFault(error, requestId);
    return replyTo('INTERNAL', 'internal error; the log has the details');
  }
}

/** Its sender is proven and its label is that of a key, so it counts as refused under that key. */
const refusedMail = (
  mail: ReceivedMail,
  { requestId, code, text, refusal }: MailReply & { requestId: string },
  deps: MailReceiverDeps,
): Refused => ({
  id: requestId,
  door: 'smtp',
  provedAs: deps.findByLabel(mail.keyLabel) ?? { keyId: '', label: mail.keyLabel },
  read: (symbols = deps.symbols) => readAgain(mail, { ...deps, ...(symbols && { symbols }) }),
  status: code,
  code: refusal ?? 'MAIL_REFUSED',
  error: text,
  body: Buffer.from([mail.subject, mail.text].filter((part) => part !== undefined).join('\n\n')),
});

/** With the key that makes the mail the same mail when it is delivered again. */
function readAgain(mail: ReceivedMail, { findByLabel, symbols }: MailReceiverDeps): ReadOrder {
  const { apiKey, order } = readEmail(mail, symbols);
  const sender = findByLabel(mail.keyLabel);
  const idempotencyKey = order.idempotencyKey ?? (sender && keyOf(mail, sender));
  if (idempotencyKey === undefined) throw new Refusal('INVALID_PAYLOAD', 'the mail has no Message-ID');
  return { source: 'email', apiKey, order: { ...order, idempotencyKey } };
}

async function receive(mail: ReceivedMail, requestId: string, deps: MailReceiverDeps): Promise<MailReply> {
  const sender = deps.findByLabel(mail.keyLabel);
  if (sender === undefined) return reply(550, '5.1.1', 'no active webhook key has this label');
  const nowMs = deps.nowMs();
  const dated = datedWrong(nowMs - mail.sentAtMs, deps);
  if (dated !== undefined) return reply(554, '5.7.1', dated);
  const { apiKey, order: asRead } = readEmail(mail, deps.symbols);
  const order = withoutKnownKeys(asRead, deps.knownKeys ?? [], () => true);
  if (apiKey !== undefined && deps.keepers.authenticate(apiKey)?.keyId !== sender.keyId) {
    return reply(
      550,
      '5.7.1',
      'apiKey in the mail is not the key of its recipient; remove it or write to its own label',
    );
  }
  const idempotencyKey = order.idempotencyKey ?? keyOf(mail, sender);
  if (idempotencyKey === undefined) {
    return reply(
      554,
      '5.6.0',
      'the mail has no Message-ID, so a second delivery could not be told from a second signal',
    );
  }
  const candidate: ProvedCandidate = {
    requestId,
    receivedAtMs: nowMs,
    source: 'email',
    order: { ...order, idempotencyKey } satisfies SignalOrder,
  };
  return replyOf(await processSignal(candidate, acceptFrom(sender, candidate, deps.keepers), deps));
}

/**
 * A mail may trade no longer than the journal remembers its message id, so whoever delivers it again later, a slow server
 * or somebody who kept it, is refused either as a duplicate or as too old.
 */
function datedWrong(ageMs: number, { maxAgeMs, keepers }: MailReceiverDeps): string | undefined {
  const aheadMs = Math.min(CLOCK_TOLERANCE_MS, keepers.idempotencyWindowMs / 2);
  const limitMs = Math.min(maxAgeMs, keepers.idempotencyWindowMs - aheadMs);
  if (ageMs > limitMs)
    return `the mail is ${Math.ceil(ageMs / 1000)} s old and may be ${limitMs / 1000} s old (SMTP_MAX_AGE_S); its moment has passed`;
  if (ageMs < -aheadMs) return 'the mail is dated in the future; set the clock of the machine that sends it';
  return undefined;
}

function keyOf({ messageId, from }: ReceivedMail, sender: Sender): string | undefined {
  if (messageId === undefined || messageId === '' || messageId.length > MAX_MESSAGE_ID_CHARS) return undefined;
  return mailIdempotencyKey({ messageId, keyLabel: sender.label, from });
}

/** Delivered again is not an error: the first delivery was heard, and saying so ends the matter. */
function replyOf({ status, body }: Answer): MailReply {
  const { code, error, requestId, originalRequestId, tradeResult } = body as {
    code?: GatewayErrorCode;
    error?: string;
    requestId: string;
    originalRequestId?: string;
    tradeResult?: { status: string };
  };
  if (code === 'DUPLICATE_SIGNAL')
    return reply(250, '2.0.0', `already taken as ${originalRequestId}; not traded again`);
  if (status < 300) return reply(250, '2.0.0', `${tradeResult?.status ?? 'Enqueued'} ${requestId}`);
  return replyTo(code ?? 'INTERNAL', error ?? 'refused');
}

function replyTo(code: string, text: string): MailReply {
  const [smtp, status] = REPLIES[code as GatewayErrorCode] ?? OUR_FAULT;
  return { ...reply(smtp, status, text), refusal: code };
}

const reply = (code: number, status: string, text: string): MailReply => ({
  code,
  text: `${status} ${maskSecrets(text).replace(/[^\x20-\x7e]+/g, '?')}`.slice(0, MAX_REPLY_CHARS),
});
