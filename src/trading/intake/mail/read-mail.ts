// From a mail to the one signal in it, or to everything that keeps it from being one; nothing is guessed.

import { marketOf } from '../market-symbol.ts';
import { readCommand } from './command-line.ts';
import { readFieldLines } from './field-lines.ts';
import { htmlToText } from './html-text.ts';
import { type ParseJson, readJsonBlocks } from './json-blocks.ts';
import { type MailFields, type Statement, TRADE_FIELDS } from './mail-fields.ts';
import { MAX_OWN_LINES, type MailLine, ownLines, plainLine } from './mail-text.ts';
import { nearMissIn, unknownNameIn } from './near-miss-lines.ts';

export interface MailContent {
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  /** Read only when the text says nothing: many mails carry an empty or a polite text beside it. */
  readonly html?: string | undefined;
}

export type MailReading =
  | {
      readonly ok: true;
      readonly fields: MailFields;
      /** Names on lines of their own that nobody knows. */
      readonly unknown: readonly string[];
    }
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
  readonly unknown: readonly string[];
}

export function readMail(mail: MailContent, parseJson: ParseJson): MailReading {
  const body = readBody(mail, parseJson);
  const title = plainLine(mail.subject ?? '');
  const subject = readCommand(title);
  const missed = missedInTitle(title, subject);
  const faults = [...body.faults, ...missed, ...body.statements.flatMap((statement) => statement.faults)];
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
  return withExtras([...statements.map(({ fields }) => fields), body.extras], body.unknown);
}

/** A title may leave fields out, but a stop in it, `LONG BTCUSDT SL 60000`, is one that somebody wrote. */
function missedInTitle(title: string, subject: Statement | undefined): readonly string[] {
  if (subject?.faults.length === 0) return [];
  const words = subject === undefined ? [] : title.split(' ');
  const parts = [title, ...words.map((_, at) => words.slice(at).join(' '))];
  const missed = parts.map(nearMissIn).find((fault) => fault !== undefined);
  return missed === undefined ? [] : [missed];
}

function readBody({ text, html }: MailContent, parseJson: ParseJson): Body {
  const plain = readLines(ownLines(text ?? ''), parseJson);
  const silent = plain.statements.length === 0 && plain.faults.length === 0;
  if (html === undefined || !silent) return plain;
  const shown = readLines(ownLines(htmlToText(html)), parseJson);
  return { ...shown, extras: { ...plain.extras, ...shown.extras }, unknown: [...plain.unknown, ...shown.unknown] };
}

function readLines(lines: readonly MailLine[], parseJson: ParseJson): Body {
  if (lines.length > MAX_OWN_LINES) {
    const fault = `text: has more than ${MAX_OWN_LINES} lines, send only the signal`;
    return { statements: [], extras: {}, faults: [fault], unknown: [] };
  }
  const json = readJsonBlocks(lines, parseJson);
  const named = readFieldLines(json.rest);
  const commands: Statement[] = [];
  const missed: string[] = [];
  const unknown: string[] = [];
  for (const line of named.rest) {
    const command = readCommand(line);
    const fault = command === undefined ? nearMissIn(line) : undefined;
    const name = command === undefined ? unknownNameIn(line) : undefined;
    if (command !== undefined) commands.push(command);
    else if (fault !== undefined) missed.push(fault);
    else if (name !== undefined) unknown.push(name);
  }
  const statements = [
    ...json.objects.map((fields) => ({ fields, faults: [] })),
    ...(named.statement === undefined ? [] : [named.statement]),
    ...commands,
  ];
  return { statements, extras: named.extras, faults: [...json.faults, ...named.faults, ...missed], unknown };
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
function withExtras(parts: readonly MailFields[], unknown: readonly string[]): MailReading {
  const fields: Record<string, unknown> = Object.create(null);
  const differing: string[] = [];
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      if (fields[name] === undefined) fields[name] = value;
      else if (plainValue(name, fields[name]) !== plainValue(name, value)) differing.push(name);
    }
  }
  return differing.length > 0 ? refuse([twoSignals(differing)]) : { ok: true, fields, unknown };
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
