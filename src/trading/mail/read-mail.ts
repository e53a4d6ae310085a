// From a mail to the one signal in it, or to everything that keeps it from being one; nothing is guessed.

import { marketOf } from '../market-symbol.ts';
import { readCommand } from './command-line.ts';
import { readFieldLines } from './field-lines.ts';
import { htmlToText } from './html-text.ts';
import { type ParseJson, readJsonBlocks } from './json-blocks.ts';
import { type MailFields, type Statement, TRADE_FIELDS } from './mail-fields.ts';
import { MAX_OWN_LINES, ownLines, plainLine } from './mail-text.ts';

export interface MailContent {
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  /** Read only when the text says nothing: many mails carry an empty or a polite text beside it. */
  readonly html?: string | undefined;
}

export type MailReading =
  | { readonly ok: true; readonly fields: MailFields }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Enough to mend a mail by; the rest would follow from the first ones. */
const MAX_FAULTS = 20;

const EXAMPLE = 'LONG 0.01 BTCUSDT on binance';
const NO_SIGNAL =
  `text: holds no signal, so exchange, action, symbol and quantity are missing; write one line such as "${EXAMPLE}", ` +
  'lines such as "exchange: binance", or a JSON object';

interface Body {
  readonly statements: readonly Statement[];
  readonly extras: MailFields;
  readonly faults: readonly string[];
}

export function readMail(mail: MailContent, parseJson: ParseJson): MailReading {
  const body = readBody(mail, parseJson);
  const subject = readCommand(plainLine(mail.subject ?? ''));
  const faults = [...body.faults, ...body.statements.flatMap((statement) => statement.faults)];
  if (faults.length > 0) return refuse(faults);
  // A subject that says a part, such as "LONG BTCUSDT", is a title: it need not be whole, but must not say otherwise.
  const isTitle = subject !== undefined && subject.faults.length > 0;
  const statements = subject === undefined || isTitle ? body.statements : [subject, ...body.statements];
  const [first, ...others] = statements;
  if (first === undefined) return refuse(subject?.faults ?? [NO_SIGNAL]);
  const differing = new Set(others.flatMap((other) => differences(first.fields, other.fields, TRADE_FIELDS)));
  if (isTitle) {
    const named = TRADE_FIELDS.filter((field) => subject.fields[field] !== undefined);
    for (const field of differences(first.fields, subject.fields, named)) differing.add(field);
  }
  if (differing.size > 0) return refuse([twoSignals([...differing])]);
  return withExtras([...statements.map(({ fields }) => fields), body.extras]);
}

function readBody({ text, html }: MailContent, parseJson: ParseJson): Body {
  const plain = readLines(ownLines(text ?? ''), parseJson);
  const silent = plain.statements.length === 0 && plain.faults.length === 0;
  if (html === undefined || !silent) return plain;
  const shown = readLines(ownLines(htmlToText(html)), parseJson);
  return { ...shown, extras: { ...plain.extras, ...shown.extras } };
}

function readLines(lines: readonly string[], parseJson: ParseJson): Body {
  if (lines.length > MAX_OWN_LINES) {
    return { statements: [], extras: {}, faults: [`text: has more than ${MAX_OWN_LINES} lines, send only the signal`] };
  }
  const json = readJsonBlocks(lines, parseJson);
  const named = readFieldLines(json.rest);
  const commands = named.rest.map(readCommand).filter((command) => command !== undefined);
  const statements = [
    ...json.objects.map((fields) => ({ fields, faults: [] })),
    ...(named.statement === undefined ? [] : [named.statement]),
    ...commands,
  ];
  return { statements, extras: named.extras, faults: [...json.faults, ...named.faults] };
}

/** The fields in which two statements differ; two spellings of a market are one market. */
function differences(one: MailFields, other: MailFields, fields: readonly string[]): string[] {
  return fields.filter((field) => plainValue(field, one[field]) !== plainValue(field, other[field]));
}

const plainValue = (field: string, value: unknown): unknown =>
  field === 'symbol' && typeof value === 'string' ? (marketOf(value) ?? value) : comparable(value);

const comparable = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** All parts agree on the trade; what only one of them adds is taken, what two of them say differently is not. */
function withExtras(parts: readonly MailFields[]): MailReading {
  const fields: Record<string, unknown> = Object.create(null);
  const differing: string[] = [];
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      if (fields[name] === undefined) fields[name] = value;
      else if (plainValue(name, fields[name]) !== plainValue(name, value)) differing.push(name);
    }
  }
  return differing.length > 0 ? refuse([twoSignals(differing)]) : { ok: true, fields };
}

/** Only names of ours are repeated: what else stood in the mail is nobody's business. */
function twoSignals(differing: readonly string[]): string {
  const known: readonly string[] = [...TRADE_FIELDS, 'idempotencyKey', 'apiKey', 'notify'];
  const named = differing.filter((field) => known.includes(field));
  const where = named.length > 0 ? ` that differ in ${named.join(', ')}` : '';
  return `text: holds two signals${where}; send one mail per signal`;
}

const refuse = (faults: readonly string[]): MailReading => ({
  ok: false,
  faults: [...new Set(faults)].slice(0, MAX_FAULTS),
});
