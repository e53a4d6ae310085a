// PATCH /trades/{requestId}: the owner writes a note beside a trade, and gives it tags.

import { z } from 'zod';
import { actorOf } from '../../http/audit.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { readValid } from '../../http/read-body.ts';
import type { TradeNotes } from '../../trading/books/trade-notes.ts';
import { type AuditEntry, auditEntryOf } from '../../trading/intake/controls.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { described } from './schemas.ts';

/** A screen of text. */
const MAX_NOTE_CHARS = 2000;
const MAX_TAGS = 10;
export const MAX_TAG_CHARS = 32;
/** As the audit calls it. */
export const TRADE_NOTE = 'tradeNote';

/** Of the control characters only what makes lines. */
const NOTE_TEXT = /^[^\p{Cc}]*$/u;
const inLines = (text: string): boolean => NOTE_TEXT.test(text.replace(/\r\n|[\n\t]/g, ''));

/** Lower case, so that a tag is one whoever writes it; commas stand between tags. */
export const tagSchema = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(
    z
      .string()
      .min(1, { error: 'is empty, send a word such as breakout' })
      .max(MAX_TAG_CHARS)
      .regex(/^[^\p{Cc},]*$/u, { error: 'is no tag, send a word or a few in one line and without commas' }),
  );

export const tradeNoteSchema = z
  .strictObject({
    note: described(
      z
        .string()
        .trim()
        .max(MAX_NOTE_CHARS)
        .refine(inLines, { error: 'has control characters, send plain text' })
        .nullable()
        .optional(),
      `Up to ${MAX_NOTE_CHARS} characters in any number of lines; null or empty takes it away`,
    ),
    tags: described(
      z
        .array(tagSchema)
        .max(MAX_TAGS)
        .refine((tags) => new Set(tags).size === tags.length, { error: 'has a tag twice, send each once' })
        .optional(),
      `All tags, up to ${MAX_TAGS} of ${MAX_TAG_CHARS} characters, in lower case; an empty list takes them away`,
    ),
  })
  .refine(({ note, tags }) => note !== undefined || tags !== undefined, {
    error: 'names nothing, send note, tags or both',
  });

export const noteFields = {
  note: described(z.string().nullable(), 'What its owner has written beside it'),
  tags: described(z.array(z.string()), 'Of its owner'),
};

const notedSchema = z.object({ requestId: z.string(), ...noteFields });

export interface TradeNoteDeps {
  readonly notes: TradeNotes;
  readonly appendAudit: (entry: AuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

export const tradeNoteEndpoint = ({ notes, appendAudit, nowMs }: TradeNoteDeps): Endpoint => ({
  method: 'patch',
  path: '/trades/{requestId}',
  summary: 'Write a note beside a trade, and give it tags',
  tags: ['Trades'],
  params: z.object({ requestId: z.string().meta({ examples: ['$REQUEST_ID'] }) }),
  body: tradeNoteSchema,
  bodyExample: { note: 'entered too late', tags: ['breakout'] },
  responses: {
    ...ok('The note and the tags as they are now', notedSchema),
    400: BAD_BODY,
    404: refused('TRADE_NOT_FOUND'),
    413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
  },
  async handler(c) {
    const { note, tags } = await readValid(c, tradeNoteSchema, { code: 'INVALID_PAYLOAD' });
    const requestId = paramOf(c, 'requestId');
    // Free text that is stored: a key that slipped in must not stay.
    const change = { ...(note !== undefined && { note: maskSecrets(note ?? '') }), ...(tags && { tags }) };
    const changed = await notes.change(requestId, change, nowMs());
    if (changed === undefined) throw new Refusal('TRADE_NOT_FOUND');
    const { before, after } = changed;
    const values = { before: { requestId, ...before }, after: { requestId, ...after } };
    await appendAudit(auditEntryOf({ actor: actorOf(c), setting: TRADE_NOTE, ...values }, nowMs()));
    return c.json({ success: true, requestId: c.var.requestId, result: { requestId, ...noteView(after) } });
  },
});

export const noteView = ({ note, tags }: { readonly note: string; readonly tags: readonly string[] }) => ({
  note: note === '' ? null : note,
  tags: [...tags],
});
