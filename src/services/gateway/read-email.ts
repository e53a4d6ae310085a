// From the parts of a mail to an order for the gates, or one refusal that lists every fault.

import { z } from 'zod';
import { parseJsonBody } from '../../http/json-body.ts';
import { looksLikeHtml } from '../../trading/intake/mail/html-text.ts';
import type { MailFields } from '../../trading/intake/mail/mail-fields.ts';
import { type MailContent, readMail } from '../../trading/intake/mail/read-mail.ts';
import type { SignalOrder } from '../../trading/signal.ts';
import { asSent, type FindSymbol, mapSymbol } from './map-symbol.ts';
import { checkShape, invalid, keylessSignal, orderOf, SIGNAL_FIELDS } from './read-signal.ts';
import { isAlert, readMailedAlert } from './read-tradingview.ts';
import { tidyComment } from './tidy-comment.ts';
import { unfilledPlaceholders } from './unfilled-placeholders.ts';
import { fieldsBesideText, ignored, unknownFields } from './unknown-fields.ts';

const part = (description: string) => z.string().optional().meta({ description });

export const emailSchema = z.object({
  subject: part('May hold the one-line command; must not contradict the text'),
  text: part('The mail: JSON, "key: value" lines, or a one-line command; plain or HTML'),
  body: part('The same, read when text is missing or blank'),
});

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

export function readEmail(mail: MailContent, symbols?: FindSymbol): ReadEmail {
  const reading = readMail(mail, (json) => parseJsonBody(Buffer.from(json)));
  if (!reading.ok) throw invalid(reading.faults);
  const read = isAlert(reading.fields) ? readMailedAlert(reading.fields, symbols) : readPlain(reading.fields, symbols);
  return {
    ...read,
    warnings: [...read.warnings, ...ignored([...new Set(reading.unknown)])],
  };
}

/** The fields as /webhook has them. */
function readPlain(given: MailFields, symbols: FindSymbol | undefined): ReadEmail {
  const mapped = tidyComment(mapSymbol(given, symbols));
  const fields = mapped.value as MailFields;
  const unfilled = unfilledPlaceholders(fields, SIGNAL_FIELDS);
  if (unfilled.length > 0) throw invalid(unfilled);
  const { faults, warnings } = unknownFields(fields, SIGNAL_FIELDS);
  const signal = checkShape(keylessSignal, fields, faults);
  return { apiKey: signal.apiKey, order: asSent(orderOf(signal), mapped), warnings: [...mapped.warnings, ...warnings] };
}

const MAIL_PARTS: ReadonlySet<string> = new Set(Object.keys(emailSchema.shape));

/** A mail as the caller of our endpoint hands it over: everything about the trade must stand in its text. */
export function readPostedEmail(value: unknown, symbols?: FindSymbol): ReadEmail {
  const beside = fieldsBesideText(value, MAIL_PARTS, SIGNAL_FIELDS);
  const read = readEmail(contentOf(checkShape(emailSchema, value, beside.faults)), symbols);
  return { ...read, warnings: [...read.warnings, ...beside.warnings] };
}
