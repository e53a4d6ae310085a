// Whether a mail really comes from the domain it names: SPF, DKIM and DMARC, and of DKIM only what covers all we read.
//
// Passed is a mail whose From domain is vouched for in one of two ways, aligned as DMARC asks (without a DMARC record: by
// the very same domain):
//   SPF    the server that delivers it may send for that domain;
//   DKIM   that domain signed the whole text and every header field we read. A signature that leaves out the end of the
//          text, the subject or the message id would let anybody who holds one old mail trade with it again.

import { authenticate, type DKIMResult } from 'mailauth';
import { foregroundTimers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { plainAddress } from './allowed-senders.ts';
import type { MessageHead } from './parse-message.ts';

export type SenderVerdict =
  | { readonly result: 'pass'; readonly by: 'spf' | 'dkim' }
  | { readonly result: 'fail'; readonly reason: string }
  /** Nobody could tell, because DNS did not answer: later it may. */
  | { readonly result: 'unsure'; readonly reason: string };

export interface Delivery {
  readonly raw: Buffer;
  readonly head: Pick<MessageHead, 'from' | 'fields'>;
  readonly envelopeFrom: string;
  readonly clientAddress: string;
  readonly helo: string;
}

export type SenderCheck = (delivery: Delivery) => Promise<SenderVerdict>;
export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>;

/** What a signature must cover, if the mail has it. */
const MUST_BE_SIGNED = ['from', 'subject', 'date', 'message-id'];

type Verdicts = Awaited<ReturnType<typeof authenticate>>;

export function createSenderCheck(options: { resolve: Resolve; timeoutMs: number }): SenderCheck {
  return async (delivery) => {
    const verdict = judge(delivery, options.resolve).catch(
      (error): SenderVerdict => ({ result: 'unsure', reason: `the check failed (${(error as Error).name})` }),
    );
    return withTimeout(
      verdict,
      options.timeoutMs,
      () => ({ result: 'unsure', reason: 'DNS did not answer in time' }),
      foregroundTimers,
    );
  };
}

async function judge(
  { raw, head, envelopeFrom, clientAddress, helo }: Delivery,
  resolve: Resolve,
): Promise<SenderVerdict> {
  const found = await authenticate(raw, {
    sender: envelopeFrom,
    ip: clientAddress,
    helo,
    mta: 'signalbox',
    resolver: resolve,
    strict: true,
    disableArc: true,
    disableBimi: true,
  });
  // Two parsers that read another author from one line would let one be checked and the other be trusted.
  const [author, ...others] = found.dkim.headerFrom ?? [];
  if (others.length > 0 || author === undefined || plainAddress(author) !== head.from) {
    return { result: 'fail', reason: 'the From line is ambiguous' };
  }
  const domain = head.from.slice(head.from.lastIndexOf('@') + 1);
  if (hasPassedSpf(found, domain)) return { result: 'pass', by: 'spf' };
  const aligned = found.dkim.results.filter((signature) => isAligned(signature, found, domain));
  if (aligned.some((signature) => coversAll(signature, head.fields)) && isKnown(found))
    return { result: 'pass', by: 'dkim' };
  const words = summary(found);
  if (isUnsure(found)) return { result: 'unsure', reason: words };
  if (aligned.length > 0) {
    return {
      result: 'fail',
      reason: `${words}; the signature does not cover the whole text, ${MUST_BE_SIGNED.join(', ')}`,
    };
  }
  return { result: 'fail', reason: words };
}

const dmarcOf = ({ dmarc }: Verdicts) => (dmarc === false || dmarc === undefined ? undefined : dmarc);
const hasRecord = (found: Verdicts): boolean => dmarcOf(found)?.alignment !== undefined;
/** DMARC said something, if only that the domain asks for nothing. */
const isKnown = (found: Verdicts): boolean => ['pass', 'none'].includes(dmarcOf(found)?.status.result ?? '');

function hasPassedSpf(found: Verdicts, domain: string): boolean {
  const { spf } = found;
  if (spf === false || spf === undefined || spf.status.result !== 'pass' || !isKnown(found)) return false;
  if (hasRecord(found)) return Boolean(dmarcOf(found)?.alignment?.spf?.result);
  return spf.domain?.toLowerCase() === domain;
}

function isAligned({ status, signingDomain }: DKIMResult, found: Verdicts, domain: string): boolean {
  if (status.result !== 'pass' || status.testing) return false;
  return hasRecord(found) ? Boolean(status.aligned) : signingDomain?.toLowerCase() === domain;
}

function coversAll(signature: DKIMResult, fields: ReadonlySet<string>): boolean {
  if (signature.status.underSized || signature.canonBodyLengthLimited) return false;
  const signed = new Set(
    (signature.signingHeaders?.keys ?? '')
      .toLowerCase()
      .split(/\s*:\s*/)
      .map((name) => name.trim()),
  );
  return MUST_BE_SIGNED.every((name) => !fields.has(name) || signed.has(name));
}

function isUnsure(found: Verdicts): boolean {
  const words = [dmarcOf(found)?.status.result, ...found.dkim.results.map(({ status }) => status.result)];
  if (found.spf) words.push(found.spf.status.result);
  return words.includes('temperror');
}

function summary(found: Verdicts): string {
  const dkim = [...new Set(found.dkim.results.map(({ status }) => status.result))].join('/');
  return `spf=${found.spf ? found.spf.status.result : 'none'} dkim=${dkim || 'none'} dmarc=${dmarcOf(found)?.status.result ?? 'none'}`;
}
