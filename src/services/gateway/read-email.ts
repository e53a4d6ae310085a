// From the parts of a mail to an order for the gates, or one refusal that lists every fault.

import { z } from 'zod';
import { parseJsonBody } from '../../http/json-body.ts';
import { looksLikeHtml } from '../../trading/intake/mail/html-text.ts';
import { type MailContent, readMail } from '../../trading/intake/mail/read-mail.ts';
import type { SignalOrder } from '../../trading/signal.ts';
import { checkShape, invalid, orderOf, SIGNAL_FIELDS } from './read-signal.ts';
import { signalSchema } from './schemas.ts';
import { fieldsBesideText, ignored, unknownFields } from './unknown-fields.ts';

const part = (description: string) => z.string().optional().meta({ description });

export const emailSchema = z.object({
  subject: part('May hold the one-line command; must not contradict the text'),
  text: part('The mail: JSON, "key: value" lines, or a one-line command; plain or HTML'),
  body: part('The same, read when text is missing or blank'),
});

/** As for the webhook, but a mail need not carry a key: its sender is known in another way. */
const mailSignalSchema = signalSchema.partial({ apiKey: true });

export interface ReadEmail {
  /** A key that stood in the mail; it counts, so that revoking it stops those mails. Never stored, never logged. */
  readonly apiKey: string | undefined;
  readonly order: SignalOrder;
  readonly warnings: readonly string[];
}

function contentOf({ subject, text, body }: z.infer<typeof emailSchema>): MailContent {
  const written = text === undefined || text.trim() === '' ? body : text;
  if (written === undefined && subject === undefined) {
    throw invalid(['text: is missing, send the text of the mail as text or body']);
  }
  return written !== undefined && looksLikeHtml(written) ? { subject, html: written } : { subject, text: written };
}

export function readEmail(mail: MailContent): ReadEmail {
  const reading = readMail(mail, (json) => parseJsonBody(Buffer.from(json)));
  if (!reading.ok) throw invalid(reading.faults);
  const { faults, warnings } = unknownFields(reading.fields, SIGNAL_FIELDS);
  const signal = checkShape(mailSignalSchema, reading.fields, faults);
  const { order } = orderOf({ ...signal, apiKey: '' });
  return { apiKey: signal.apiKey, order, warnings: [...warnings, ...ignored([...new Set(reading.unknown)])] };
}

const MAIL_PARTS: ReadonlySet<string> = new Set(Object.keys(emailSchema.shape));

/** A mail as the caller of our endpoint hands it over: everything about the trade must stand in its text. */
export function readPostedEmail(value: unknown): ReadEmail {
  const beside = fieldsBesideText(value, MAIL_PARTS, SIGNAL_FIELDS);
  const read = readEmail(contentOf(checkShape(emailSchema, value, beside.faults)));
  return { ...read, warnings: [...read.warnings, ...beside.warnings] };
}
