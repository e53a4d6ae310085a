// /api/libraries: libraries that a user has published, for scripts of the same user to import; nobody sees anybody else's.

import type { KitContext } from '../../http/context.ts';
import { type Endpoint, type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import { readStrict } from '../../http/strict-body.ts';
import { isRead } from '../../library/imported-sources.ts';
import { MAX_VERSION, type Publication, type PublicationSummary } from '../../library/publication.ts';
import type { Taken } from '../../library/publication-store.ts';
import type { Publications, PublishedCode } from '../../library/publications.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import { isContentTooLarge } from '../../library/script.ts';
import { TOO_LARGE } from '../../library/scripts.ts';
import { importsOf, type LibraryName, libraryKey } from '../../pine/light.ts';
import { createCallWindow } from './call-window.ts';
import { newPublicationSchema, PUBLICATION_DOCS, resolveSchema } from './publication-docs.ts';
import { refusal, type ScriptsRefusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import { noScript } from './script-views.ts';
import { RETRY_LATER, type StorageGuard } from './storage-refusal.ts';

export interface PublicationRoutesDeps {
  readonly authenticate: Authenticate;
  /** Undefined where no durable database is bound. */
  readonly publications: Publications | undefined;
  readonly stored: StorageGuard;
  readonly monotonicMs: () => number;
}

/** Each compiles a script: more than a person does, less than a program can do harm with. */
const PUBLICATIONS_PER_MINUTE = 30;
const VERSION = /^[1-9]\d{0,14}$/;

/** Whose libraries they are, and the libraries. */
type Visitor = (c: KitContext) => Promise<{ readonly userId: string; readonly publications: Publications }>;

export function publicationEndpoints(deps: PublicationRoutesDeps): readonly Endpoint[] {
  const { authenticate, stored } = deps;

  /** The key comes first: a stranger does not learn how the operator has set this up. */
  const visit: Visitor = async (c) => {
    const { userId } = await authenticate(c);
    if (deps.publications === undefined)
      throw refusal('UNAVAILABLE', 'no database for scripts is bound; the operator has to set SCRIPT_DATABASE');
    return { userId, publications: deps.publications };
  };

  const list: EndpointHandler = async (c) => {
    const { userId, publications } = await visit(c);
    const all = await stored(c, publications.list(userId));
    return c.json({ status: 'success', libraries: all.map(summaryView) });
  };

  const resolve: EndpointHandler = async (c) => {
    const { userId, publications } = await visit(c);
    const { script } = await readStrict(c, resolveSchema);
    if (isContentTooLarge(script)) throw refusal('SCRIPT_TOO_LARGE', TOO_LARGE);
    const imports = importsOf(script);
    const libraries = (await stored(c, publications.sourcesOf(userId, imports))).filter(isRead);
    const there = new Set(libraries.map(libraryKey));
    const wanted = [...imports, ...libraries.flatMap(({ source }) => importsOf(source))].map(libraryKey);
    const missing = [...new Set(wanted)].filter((key) => !there.has(key));
    return c.json({ status: 'success', libraries, missing });
  };

  return [
    publishEndpoint(visit, deps),
    { ...PUBLICATION_DOCS.list, handler: list },
    { ...PUBLICATION_DOCS.resolve, handler: resolve },
    ...namedEndpoints(visit, stored),
  ];
}

function publishEndpoint(visit: Visitor, { stored, monotonicMs }: PublicationRoutesDeps): Endpoint {
  const takeTurn = createCallWindow({ policy: 'publications', callsPerMinute: PUBLICATIONS_PER_MINUTE, monotonicMs });
  const publish: EndpointHandler = async (c) => {
    const { userId, publications } = await visit(c);
    const headers = takeTurn(userId);
    const { publisher, name, version, ...rest } = await readStrict(c, newPublicationSchema);
    const outcome = await stored(c, publications.publish(userId, { code: codeOf(rest), publisher, name, version }));
    if (outcome.kind !== 'published') throw unpublished(outcome);
    const library = summaryView(outcome.record);
    if (!outcome.isNew) return c.json({ status: 'success', library }, 200, headers);
    return c.json({ status: 'success', library }, 201, { ...headers, location: `/api/libraries/${library.import}` });
  };
  return { ...PUBLICATION_DOCS.publish, handler: publish };
}

function namedEndpoints(visit: Visitor, stored: StorageGuard): readonly Endpoint[] {
  const versions: EndpointHandler = async (c) => {
    const { userId, publications } = await visit(c);
    const found = await stored(c, publications.versions(userId, paramOf(c, 'publisher'), paramOf(c, 'name')));
    if (found.kind === 'missing') throw noLibrary();
    return c.json({ status: 'success', versions: found.record.map(summaryView) });
  };

  const read: EndpointHandler = async (c) => {
    const { userId, publications } = await visit(c);
    const found = await stored(c, publications.read(userId, nameIn(c)));
    if (found.kind === 'missing') throw noLibrary();
    return c.json({ status: 'success', library: view(found.record) });
  };

  const withdraw: EndpointHandler = async (c) => {
    const { userId, publications } = await visit(c);
    const library = nameIn(c);
    const outcome = await stored(c, publications.withdraw(userId, library));
    if (outcome.kind === 'missing') throw noLibrary();
    if (outcome.kind === 'in-use')
      throw refusal('CONFLICT', `${libraryKey(outcome.by)} imports it; withdraw that one first`);
    return c.json({ status: 'success', import: libraryKey(library), withdrawn: true });
  };

  return [
    { ...PUBLICATION_DOCS.versions, handler: versions },
    { ...PUBLICATION_DOCS.read, handler: read },
    { ...PUBLICATION_DOCS.withdraw, handler: withdraw },
  ];
}

interface GivenCode {
  readonly scriptId?: string | undefined;
  readonly revision?: number | undefined;
  readonly content?: string | undefined;
}

function codeOf({ scriptId, revision, content }: GivenCode): PublishedCode {
  if (content === undefined) {
    if (scriptId === undefined)
      throw refusal('MISSING_FIELD', 'scriptId: is missing, send the id of a script, or the library itself as content');
    return { scriptId, revision };
  }
  if (scriptId !== undefined || revision !== undefined)
    throw refusal('INVALID_FIELD', 'content: cannot be sent with scriptId or revision, send the one or the other');
  return { content };
}

/** A version that is no number is one that is not there. */
function nameIn(c: KitContext): LibraryName {
  const version = paramOf(c, 'version');
  if (!VERSION.test(version)) throw noLibrary();
  return { namespace: paramOf(c, 'publisher'), name: paramOf(c, 'name'), version: Number(version) };
}

/** Said of another user's library in the very same words. */
const noLibrary = (): ScriptsRefusal =>
  refusal('NOT_FOUND', 'there is no such published library of this key; GET /api/libraries lists those there are');

type Unpublished = Exclude<Awaited<ReturnType<Publications['publish']>>, { kind: 'published' }>;

function unpublished(outcome: Unpublished): Error {
  switch (outcome.kind) {
    case 'missing':
      return noScript();
    case 'unpublishable':
      return refusal('INVALID_FIELD', outcome.reason);
    case 'too-large':
      return refusal('SCRIPT_TOO_LARGE', outcome.reason);
    case 'too-many':
      return refusal('LIBRARY_FULL', outcome.reason);
    case 'taken':
      return refusal('CONFLICT', takenWords(outcome));
    case 'not-compiled': {
      const fault = runFaultOf(outcome.outcome);
      if (fault instanceof Error) return fault;
      return refusal(fault.code, fault.message, { ...(fault.isPassing && RETRY_LATER), extra: fault.extra ?? {} });
    }
  }
}

function takenWords({ version, next }: Taken): string {
  if (next > MAX_VERSION) return `there is no version above ${MAX_VERSION}; name a lower one that is free`;
  return `version ${version} belongs to other code of this name; publish it as version ${next}, or leave the version out`;
}

const summaryView = ({ namespace, publishedAtMs, ...rest }: PublicationSummary) => ({
  publisher: namespace,
  name: rest.name,
  version: rest.version,
  import: libraryKey({ namespace, name: rest.name, version: rest.version }),
  digest: rest.digest,
  publishedAt: publishedAtMs,
  scriptId: rest.scriptId,
  revision: rest.revision,
  imports: rest.imports,
  contentBytes: rest.contentBytes,
});

const view = ({ source, ...summary }: Publication) => ({ ...summaryView(summary), content: source });
