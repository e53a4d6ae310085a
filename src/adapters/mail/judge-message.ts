// What happens to one mail between its last byte and its reply: readable, sender on the list, sender proven, then traded.

import type { MailReceiver, MailReply } from '../../trading/intake/mail/mail-receiver.ts';
import { type MessageFault, readHead, readText } from './parse-message.ts';
import type { SenderCheck } from './sender-verdict.ts';

export interface Envelope {
  readonly from: string;
  readonly keyLabel: string;
  readonly clientAddress: string;
  readonly helo: string;
}

export interface Judges {
  readonly receiver: MailReceiver;
  readonly isAllowedSender: (address: string) => boolean;
  /** Absent where the settings leave the proof to the server in front. */
  readonly checkSender?: SenderCheck | undefined;
}

/** A reply, and for the log who the mail says it is from, and what of ours went wrong. */
export interface Judgement extends MailReply {
  readonly from?: string;
  readonly fault?: unknown;
}

export async function judgeMessage(raw: Buffer, envelope: Envelope, judges: Judges): Promise<Judgement> {
  const head = readHead(raw);
  if ('fault' in head) return unreadable(head);
  const { from, messageId, sentAtMs, subject } = head;
  // Before the proof: strangers must not make us ask DNS.
  if (!judges.isAllowedSender(from)) return { from, code: 550, text: '5.7.1 this sender may not signal here' };
  const verdict = await judges.checkSender?.({ raw, head, envelopeFrom: envelope.from, ...envelope });
  if (verdict?.result === 'unsure') {
    return { from, code: 451, text: `4.7.5 the sender cannot be verified now (${verdict.reason})` };
  }
  if (verdict?.result === 'fail') {
    return { from, code: 550, text: `5.7.26 the sender is not verified (${verdict.reason})` };
  }
  const content = await readText(raw);
  if ('fault' in content) return { from, ...unreadable(content) };
  const { keyLabel } = envelope;
  return { from, ...(await judges.receiver.receive({ from, keyLabel, messageId, sentAtMs, subject, ...content })) };
}

const unreadable = ({ fault }: MessageFault): MailReply => ({ code: 554, text: `5.6.0 ${fault}` });
