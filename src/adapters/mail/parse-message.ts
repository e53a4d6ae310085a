// From the bytes of a mail to the parts that matter, for every transfer encoding and character set there is.
//
// In two steps: the head is cheap and says who writes; the rest can be made expensive, so it is read only for a sender who
// is on the list and has been proven.

import PostalMime, { decodeWords } from 'postal-mime';
import { authorOf } from './author.ts';

export interface MessageHead {
  readonly from: string;
  readonly messageId: string | undefined;
  readonly sentAtMs: number;
  readonly subject: string | undefined;
  /** The header fields that are there, in lower case. */
  readonly fields: ReadonlySet<string>;
}

export interface MessageText {
  readonly text: string | undefined;
  readonly html: string | undefined;
}

export interface MessageFault {
  readonly fault: string;
}

/** Mail that passed many servers has some 30 KiB of header in some 300 lines; more is somebody trying something. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_HEADER_LINES = 1000;
/** A subject is one line; reading it costs more than its length. */
const MAX_SUBJECT_CHARS = 2000;
/** The largest mail, as an attachment writes it; every line costs the reader as much as hundreds of characters. */
const MAX_MESSAGE_LINES = 5000;
const FIELD = /^([!-9;-~]+)[ \t]*:(.*)$/;
/** A forwarded newsletter has four or five levels. */
const MAX_NESTING = 16;
/** Every signature costs a look-up and a check; no mail needs more. */
const MAX_SIGNATURES = 8;
/** A signature vouches for one of two equal fields, and a reader may look at the other. */
const ONLY_ONCE = [
  'from',
  'subject',
  'date',
  'message-id',
  'content-type',
  'content-transfer-encoding',
  'mime-version',
];

export function readHead(raw: Buffer): MessageHead | MessageFault {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.subarray(0, end < 0 ? raw.length : end);
  if (header.length > MAX_HEADER_BYTES) return { fault: `the header is larger than ${MAX_HEADER_BYTES} bytes` };
  const text = header.toString('utf8').replace(/\r\n$/, '');
  // Programs disagree about where such a line ends, and so about what was signed.
  if (/\r(?!\n)|(?<!\r)\n|\0/.test(text)) return { fault: 'a header line does not end with CR LF, or holds a NUL' };
  const lines = text.split('\r\n');
  if (lines.length > MAX_HEADER_LINES) return { fault: `the header has more than ${MAX_HEADER_LINES} lines` };
  const fields = fieldsOf(lines);
  return fields === undefined ? { fault: 'a header line is no field' } : headOf(fields);
}

export async function readText(raw: Buffer): Promise<MessageText | MessageFault> {
  if (hasTooManyLines(raw)) return { fault: `the mail has more than ${MAX_MESSAGE_LINES} lines; send only the signal` };
  try {
    const { text, html } = await PostalMime.parse(raw, { forceRfc822Attachments: true, maxNestingDepth: MAX_NESTING });
    return { text, html };
  } catch {
    return { fault: 'the parts of the mail cannot be read; send a plain one' };
  }
}

function hasTooManyLines(raw: Buffer): boolean {
  let lines = 1;
  for (let at = raw.indexOf(0x0a); at >= 0; at = raw.indexOf(0x0a, at + 1)) {
    lines += 1;
    if (lines > MAX_MESSAGE_LINES) return true;
  }
  return false;
}

/** The values of each field, by its name in lower case, with folded lines put together. Undefined if a line is none. */
function fieldsOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> | undefined {
  const fields = new Map<string, string[]>();
  let values: string[] | undefined;
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (/^[ \t]/.test(line) && values !== undefined) values.push(`${values.pop()}${line}`);
    else if (name === undefined || value === undefined) return undefined;
    else {
      values = fields.get(name.toLowerCase()) ?? [];
      fields.set(name.toLowerCase(), values);
      values.push(value);
    }
  }
  return fields;
}

function headOf(fields: ReadonlyMap<string, readonly string[]>): MessageHead | MessageFault {
  const only = (name: string): string | undefined => fields.get(name)?.[0]?.trim();
  const twice = ONLY_ONCE.filter((name) => (fields.get(name)?.length ?? 0) > 1);
  if (twice.length > 0) return { fault: `the header names ${twice.join(', ')} more than once` };
  if ((fields.get('dkim-signature')?.length ?? 0) > MAX_SIGNATURES) {
    return { fault: 'the mail has too many DKIM signatures' };
  }
  const from = authorOf(only('from') ?? '');
  if (from === undefined) {
    return { fault: 'the From line does not name exactly one address, as in "Name <me@example.com>"' };
  }
  const sentAtMs = Date.parse(only('date') ?? '');
  if (Number.isNaN(sentAtMs)) return { fault: 'the Date line is missing or cannot be read' };
  const messageId = only('message-id')?.replace(/^<(.*)>$/, '$1');
  const subject = only('subject')?.slice(0, MAX_SUBJECT_CHARS);
  return {
    from,
    messageId,
    sentAtMs,
    subject: subject === undefined ? undefined : decodeWords(subject),
    fields: new Set(fields.keys()),
  };
}
