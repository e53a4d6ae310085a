// Listens for mail with signals, where a port is set.

import type { MailIntake } from '../adapters/mail/smtp-intake.ts';
import type { Config } from '../config.ts';
import type { Log } from '../http/log.ts';
import { createTokenBuckets } from '../http/token-bucket.ts';
import type { MailReceiver } from '../trading/intake/mail/mail-receiver.ts';
import { monotonicMs } from './clocks.ts';

/** Recipients and refusals per address of a mail server: as many as a webhook key may send. */
const MAILS_PER_MINUTE = 120;
const MAX_MAIL_ADDRESSES = 10_000;
const TAKEN = 250;

/** What is known of a mail that the listener itself has refused. */
export interface RefusedMail {
  readonly code: number;
  readonly text: string;
  readonly clientAddress: string;
}

export interface MailParts {
  readonly mailReceiver: MailReceiver;
  readonly rememberMail: (refused: RefusedMail) => void;
}

/** Loaded only where mail is wanted: what checks signatures is large. */
export async function listenForMail(config: Config, parts: MailParts, log: Log): Promise<MailIntake | undefined> {
  if (config.smtpPort === undefined) return undefined;
  const { openMail } = await import('../adapters/mail/open-mail.ts');
  const perMinute = { capacity: MAILS_PER_MINUTE, refillPerMinute: MAILS_PER_MINUTE };
  const rate = createTokenBuckets({ ...perMinute, nowMs: monotonicMs, maxKeys: MAX_MAIL_ADDRESSES });
  return openMail({
    host: config.smtpHost,
    port: config.smtpPort,
    receiver: parts.mailReceiver,
    allowedSenders: config.smtpAllowedSenders,
    authPolicy: config.smtpAuthPolicy,
    admit: (address) => rate.take(address).allowed,
    onMail: ({ text, fault, ...entry }) => {
      // The receiver remembers its own.
      if (entry.code !== TAKEN && entry.requestId === undefined) parts.rememberMail({ ...entry, text });
      const level = fault === undefined ? (entry.code === TAKEN ? 'info' : 'warn') : 'error';
      log[level]({ ...entry, err: fault }, `mail ${entry.code === TAKEN ? 'taken' : 'refused'}: ${text}`);
    },
  });
}
