// Listens for mail with signals, where a port is set.

import type { MailIntake } from '../adapters/mail/smtp-intake.ts';
import type { Config } from '../config.ts';
import type { Log } from '../http/log.ts';
import { createTokenBuckets } from '../http/token-bucket.ts';
import type { MailReceiver } from '../trading/mail/mail-receiver.ts';
import { monotonicMs } from './clocks.ts';

/** Recipients and refusals per address of a mail server: as many as a webhook key may send. */
const MAILS_PER_MINUTE = 120;
const MAX_MAIL_ADDRESSES = 10_000;

/** Loaded only where mail is wanted: what checks signatures is large. */
export async function listenForMail(config: Config, receiver: MailReceiver, log: Log): Promise<MailIntake | undefined> {
  if (config.smtpPort === undefined) return undefined;
  const { openMail } = await import('../adapters/mail/open-mail.ts');
  const perMinute = { capacity: MAILS_PER_MINUTE, refillPerMinute: MAILS_PER_MINUTE };
  const rate = createTokenBuckets({ ...perMinute, nowMs: monotonicMs, maxKeys: MAX_MAIL_ADDRESSES });
  return openMail({
    host: config.smtpHost,
    port: config.smtpPort,
    receiver,
    allowedSenders: config.smtpAllowedSenders,
    authPolicy: config.smtpAuthPolicy,
    admit: (address) => rate.take(address).allowed,
    onMail: ({ text, fault, ...entry }) => {
      const level = fault === undefined ? (entry.code === 250 ? 'info' : 'warn') : 'error';
      log[level]({ ...entry, err: fault }, `mail ${entry.code === 250 ? 'taken' : 'refused'}: ${text}`);
    },
  });
}
