// The port between the mail listener and the gateway: a proven mail goes in, an SMTP reply comes out.

import type { MailContent } from './read-mail.ts';

/** A mail whose sender is on the list and has been proven, as far as the settings ask for proof. */
export interface ReceivedMail extends MailContent {
  /** The author's address, from the From line. */
  readonly from: string;
  /** What stood behind the plus in the recipient's address. */
  readonly keyLabel: string;
  readonly messageId?: string | undefined;
  /** From the Date line. */
  readonly sentAtMs: number;
}

export interface MailReply {
  /** 250 took it; 4xx: the other side may try again; 5xx: it must not. */
  readonly code: number;
  /** One line of plain ASCII that begins with the enhanced status code. */
  readonly text: string;
  readonly requestId?: string;
  /** The gateway's code, where it refused. */
  readonly refusal?: string;
}

export interface MailReceiver {
  /** Whether mail for this label can trade at all, so that others are refused before they send their text. */
  knows(keyLabel: string): boolean;
  /** Answers 250 only for a signal that is on disk, and never rejects. */
  receive(mail: ReceivedMail): Promise<MailReply>;
}
