// E-mail as a channel: one plain-text mail to the owner, through the mail server of the settings.
//
// Errors of the mail library may quote what was sent, so each becomes words of ours with the server's number in them.

import { createTransport } from 'nodemailer';
import {
  type ChannelNotifier,
  ChannelRefused,
  type Notice,
  NotifierError,
} from '../../trading/notifications/notifier.ts';
import { cutTo } from './cut-to.ts';

export interface MailOptions {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before anything else is said, or `none`. */
  readonly tls: 'tls' | 'starttls' | 'none';
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
}

const TIMEOUT_MS = 10_000;
const SHARED_UNITS = 20_000;
const MAX_SUBJECT_CHARS = 120;
const SUBJECTS: Readonly<Record<Notice['topic'], string>> = {
  trades: 'Signalbox',
  refusals: 'Signalbox refused',
  alarms: 'Signalbox alarm',
  report: 'Signalbox',
  test: 'Signalbox test',
};

export function createMailNotifier(options: MailOptions): ChannelNotifier {
  const { host, port, tls, user, password, from, to } = options;
  const transport = createTransport({
    ...{ host, port, secure: tls === 'tls', requireTLS: tls === 'starttls', ignoreTLS: tls === 'none' },
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...{
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      dnsTimeout: TIMEOUT_MS,
    },
    // Nothing of a notice is ever read from a file or an address.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return {
    channel: 'mail',
    sharedUnits: SHARED_UNITS,
    async send({ id, topic, text, atMs }) {
      try {
        await transport.sendMail({
          ...{ from, to: [...to], text, date: new Date(atMs), messageId: `<${id}@signalbox>` },
          subject: cutTo(Array.from(`${SUBJECTS[topic]}: ${text.split('\n', 1)[0]}`), MAX_SUBJECT_CHARS),
          // So that no machine answers.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw inWords(error);
      }
    },
  };
}

/** A number from 500 on is a last word: on the text itself where that was asked about, else on who writes to whom. */
function inWords(error: unknown): NotifierError {
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown };
  const answered = typeof responseCode === 'number' ? `the mail server answered ${responseCode}` : undefined;
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return new ChannelRefused(
      `the mail server does not take the password${numbered(responseCode)}. Set MAIL_USER and MAIL_PASSWORD`,
    );
  if (code === 'ETLS' || isCertificateFault(error))
    return new ChannelRefused(
      `no secure connection to the mail server (${String(code)}). Look at MAIL_TLS, MAIL_PORT and its certificate`,
    );
  if (typeof responseCode === 'number' && responseCode >= 500 && command === 'DATA')
    return new NotifierError(`the mail server does not take this mail (${responseCode})`, false);
  if (typeof responseCode === 'number' && responseCode >= 500)
    return new ChannelRefused(`${answered}. Look at MAIL_FROM and MAIL_TO: may this user send from one to the other?`);
  return new NotifierError(answered ?? `the mail server could not be reached (${String(code ?? 'no reason')})`, true);
}

const numbered = (responseCode: unknown): string => (typeof responseCode === 'number' ? ` (${responseCode})` : '');

/** The library keeps only the words of Node for it. */
const isCertificateFault = (error: unknown): boolean =>
  error instanceof Error && /certificate|altnames/i.test(error.message);
