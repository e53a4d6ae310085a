// /admin/layouts: what the owner saves of his charts and queries under names, for all his browsers.

import { z } from 'zod';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { knownRevision } from '../../http/known-revision.ts';
import { readJson, readValid } from '../../http/read-body.ts';
import { zodFaults } from '../../http/zod-faults.ts';
import {
  LAYOUT_KINDS,
  type LayoutKind,
  type LayoutName,
  type LayoutOutcome,
  type LayoutSummary,
  type Layouts,
  MAX_LAYOUT_ABOUT_CHARS,
  MAX_LAYOUT_BYTES,
  MAX_LAYOUT_NAME_CHARS,
  MAX_LAYOUTS,
} from '../../library/layouts.ts';
import { nameFault, ONE_LINE } from '../../trading/name-spelling.ts';
import { answer, shaped } from './admin-answers.ts';
import { MAX_QUERY_CHARS } from './query-schemas.ts';
import { readQuery } from './read-query.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { described, errorSchema, wholeText } from './schemas.ts';

export interface LayoutDeps {
  readonly layouts: Layouts;
}

const TAGS = ['Dashboard'];
const PATH = '/admin/layouts';
const ONE_PATH = `${PATH}/{kind}/{name}`;
const MAX_SCRIPTS = 50;
const MAX_REVISION = 999_999_999;
/** What stands around the content in a body. */
const ENVELOPE_BYTES = 4096;

const oneLine = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text === '' || ONE_LINE.test(text), {
      ...{ error: 'has control characters, send one line of text', abort: true },
    });

const params = z.object({
  kind: z.enum(LAYOUT_KINDS).meta({ examples: ['layout'] }),
  name: oneLine(MAX_LAYOUT_NAME_CHARS)
    .superRefine((name, { addIssue }) => {
      const fault = name.trim() === name ? nameFault(name) : 'is empty or has blanks at an end, take them away';
      if (fault !== undefined) addIssue({ code: 'custom', message: fault });
    })
    .meta({ examples: ['Scalping'] }),
});

/** Fields that a later page adds are kept as they are. */
const scripts = z.array(z.looseObject({ name: z.string(), source: z.string() })).max(MAX_SCRIPTS);
const CONTENTS: Readonly<Record<LayoutKind, z.ZodType>> = {
  layout: z.looseObject({ symbol: z.string().min(1), timeframe: z.string().min(1), scripts }),
  template: z.looseObject({ scripts }),
  query: z.looseObject({ sql: z.string().min(1).max(MAX_QUERY_CHARS) }),
};

const contentSchema = described(
  z.record(z.string(), z.unknown()),
  `A layout has symbol, timeframe and scripts, a template scripts, up to ${MAX_SCRIPTS} of them with name and source, a query sql; everything else is kept as it is`,
);
const bodySchema = z.strictObject({
  content: contentSchema,
  about: described(oneLine(MAX_LAYOUT_ABOUT_CHARS).default(''), 'One line for lists'),
  revision: described(
    z.int({ abort: true }).min(0).max(MAX_REVISION).optional(),
    'What you have read; 0 for nothing there. If-Match and If-None-Match: * say the same. Left out: whatever is there is replaced',
  ),
});
const listQuerySchema = z.strictObject({ kind: z.enum(LAYOUT_KINDS).optional() });
const removeQuerySchema = z.strictObject({
  revision: described(wholeText(1, MAX_REVISION).optional(), 'What you have read; left out: whatever is there'),
});

export const layoutSummarySchema = z.object({
  kind: z.enum(LAYOUT_KINDS),
  name: z.string(),
  about: z.string(),
  revision: described(
    z.number().int(),
    'Grows with every save, and is never the same again, also after it was removed',
  ),
  updatedAt: z.number().int(),
});
export const layoutSchema = layoutSummarySchema.extend({ content: contentSchema });

const CONFLICT = {
  description: 'LAYOUT_CONFLICT: another revision is there by now',
  schema: errorSchema.extend({
    revision: described(z.number().int().optional(), 'Of LAYOUT_CONFLICT: the one that is there; 0: none'),
  }),
};

export const layoutEndpoints = ({ layouts }: LayoutDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: PATH,
    summary: 'Saved layouts and templates of charts, and saved queries, without their content',
    tags: TAGS,
    query: listQuerySchema,
    responses: { ...ok('By kind and name', z.array(layoutSummarySchema)), 400: refused('INVALID_QUERY') },
    async handler(c) {
      const { kind } = readQuery(c, listQuerySchema);
      return answer(c, (await layouts.list(kind)).map(summaryView));
    },
  },
  {
    method: 'get',
    path: ONE_PATH,
    summary: 'One of them, with its content',
    tags: TAGS,
    params,
    responses: {
      ...ok('As it was saved', layoutSchema),
      400: refused('INVALID_PAYLOAD: no such kind, or no such name can be'),
      404: refused('LAYOUT_NOT_FOUND'),
    },
    async handler(c) {
      const found = await layouts.find(await savedNameIn(c, layouts));
      if (found === undefined) throw new Refusal('LAYOUT_NOT_FOUND');
      return answer(c, { ...summaryView(found), content: JSON.parse(found.content) });
    },
  },
  saveEndpoint(layouts),
  {
    method: 'delete',
    path: ONE_PATH,
    summary: 'Remove one of them',
    tags: TAGS,
    params,
    query: removeQuerySchema,
    responses: {
      ...ok('What was removed', layoutSummarySchema),
      400: refused('INVALID_QUERY; INVALID_PAYLOAD: no such kind, or no such name can be'),
      404: refused('LAYOUT_NOT_FOUND'),
      409: CONFLICT,
    },
    async handler(c) {
      const { revision } = readQuery(c, removeQuerySchema);
      const name = await savedNameIn(c, layouts);
      const outcome = await layouts.remove(name, knownRevision(c, revision, refusalOf));
      return answer(c, summaryView(done(outcome)));
    },
  },
];

const saveEndpoint = (layouts: Layouts): Endpoint => ({
  method: 'put',
  path: ONE_PATH,
  summary: 'Save one of them, or replace it',
  tags: TAGS,
  params,
  body: bodySchema,
  bodyExample: { content: { symbol: 'BTCUSDT', timeframe: '1h', scripts: [] }, about: 'BTCUSDT 1h' },
  bodyLimitBytes: MAX_LAYOUT_BYTES + ENVELOPE_BYTES,
  responses: {
    ...ok('It is saved', layoutSummarySchema),
    400: BAD_BODY,
    409: { ...CONFLICT, description: `${CONFLICT.description}; TOO_MANY_LAYOUTS: ${MAX_LAYOUTS} of a kind` },
    413: refused(`PAYLOAD_TOO_LARGE: a content of more than ${MAX_LAYOUT_BYTES / 1024} KiB`),
  },
  async handler(c) {
    const name = nameIn(c);
    const { content, about, revision } = await readValid(c, bodySchema, shaped);
    if (await isLossy(c)) throw refusalOf('content: has the name __proto__, which would be lost; take another one');
    const fault = faultOf(CONTENTS[name.kind], content, 'content');
    if (fault !== undefined) throw fault;
    const text = JSON.stringify(content);
    if (Buffer.byteLength(text) > MAX_LAYOUT_BYTES)
      throw new Refusal('PAYLOAD_TOO_LARGE', `the content has more than ${MAX_LAYOUT_BYTES} bytes; take a script out`);
    const known = knownRevision(c, revision, refusalOf);
    const outcome = await layouts.save({ ...name, about, content: text, revision: known });
    return answer(c, summaryView(done(outcome)));
  },
});

const refusalOf = (fault: string): Refusal => new Refusal('INVALID_PAYLOAD', fault, { extra: { faults: [fault] } });

/** Readers of objects pass that name over, or take it for something else. */
async function isLossy(c: KitContext): Promise<boolean> {
  let isFound = false;
  JSON.stringify(await readJson(c), (name, value) => {
    isFound ||= name === '__proto__';
    return value;
  });
  return isFound;
}

/** One to save under. */
function nameIn(c: KitContext): LayoutName {
  const sent = sentNameIn(c);
  // "é" has two spellings, which look the same.
  const wanted = { ...sent, name: sent.name.normalize('NFC') };
  const parsed = params.safeParse(wanted);
  if (parsed.success) return parsed.data;
  throw faultOf(params, wanted);
}

/** One to find: older versions saved under names that are refused now, so what is there under the name as it was sent is meant. */
async function savedNameIn(c: KitContext, layouts: Layouts): Promise<LayoutName> {
  const sent = sentNameIn(c);
  const saved = (await layouts.list(undefined)).find(({ kind, name }) => kind === sent.kind && name === sent.name);
  return saved ?? nameIn(c);
}

function sentNameIn(c: KitContext): { readonly kind: string; readonly name: string } {
  if (!isDecodable(c.req.url))
    throw refusalOf('name: is not percent-encoded UTF-8, encode it as encodeURIComponent does');
  return { kind: paramOf(c, 'kind'), name: paramOf(c, 'name') };
}

/** What cannot be decoded would be taken as it stands, and be the name of something else. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(new URL(url).pathname);
    return true;
  } catch {
    return false;
  }
}

/** In the words of the other bodies; undefined where the value is fine. */
function faultOf(schema: z.ZodType, value: unknown, place?: string): Refusal | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return undefined;
  const faults = zodFaults(parsed.error, value).map((fault) => (place === undefined ? fault : `${place}.${fault}`));
  return new Refusal('INVALID_PAYLOAD', faults.join('; '), { extra: { faults } });
}

function done(outcome: LayoutOutcome): LayoutSummary {
  if (outcome.kind === 'done') return outcome.layout;
  if (outcome.kind === 'missing') throw new Refusal('LAYOUT_NOT_FOUND');
  if (outcome.kind === 'full') throw new Refusal('TOO_MANY_LAYOUTS');
  const { revision } = outcome;
  const words =
    revision === 0 ? 'nothing is there, or it was removed meanwhile' : `revision ${revision} is there by now`;
  throw new Refusal('LAYOUT_CONFLICT', `${words}; read it again, and save over that`, { extra: { revision } });
}

const summaryView = ({ kind, name, about, revision, updatedAtMs }: LayoutSummary) => ({
  kind,
  name,
  about,
  revision,
  updatedAt: updatedAtMs,
});
