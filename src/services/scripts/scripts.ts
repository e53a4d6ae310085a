// /api/scripts: a user's own scripts with their revisions and versions, and one draft; nobody sees anybody else's.

import type { KitContext } from '../../http/context.ts';
import { type Endpoint, type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import { knownRevision, revisionTag } from '../../http/known-revision.ts';
import { readStrict } from '../../http/strict-body.ts';
import type { Script } from '../../library/script.ts';
import { MAX_PAGE, type Scripts } from '../../library/scripts.ts';
import { LIBRARY_DOCS } from './library-docs.ts';
import { refusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import { draftSchema, newScriptSchema, removalSchema, scriptSchema } from './schemas.ts';
import { draftView, noScript, scriptView, summaryView, unwritten, versionView } from './script-views.ts';
import type { StorageGuard } from './storage-refusal.ts';

export interface ScriptRoutesDeps {
  readonly authenticate: Authenticate;
  /** Undefined where no durable database is bound. */
  readonly scripts: Scripts | undefined;
  readonly stored: StorageGuard;
}

/** What every handler needs: whose library it is, and the library. */
interface Visit {
  readonly userId: string;
  readonly scripts: Scripts;
}

const DIGITS = /^\d{1,15}$/;
const noRevision = (words: string) => refusal('INVALID_FIELD', words);

export function libraryEndpoints(deps: ScriptRoutesDeps): readonly Endpoint[] {
  const { authenticate, scripts, stored } = deps;

  /** The key comes first: a stranger does not learn how the operator has set this up. */
  async function visit(c: KitContext): Promise<Visit> {
    const { userId } = await authenticate(c);
    if (scripts === undefined)
      throw refusal('UNAVAILABLE', 'no database for scripts is bound; the operator has to set SCRIPT_DATABASE');
    return { userId, scripts };
  }

  const list: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const page = await stored(c, scripts.list(userId, { limit: limitOf(c), cursor: c.req.query('cursor') }));
    if (page.kind === 'bad-page') throw refusal('INVALID_FIELD', page.reason);
    const { nextCursor = null } = page;
    return c.json({ status: 'success', scripts: page.scripts.map(summaryView), nextCursor });
  };

  const create: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const { createdAt, updatedAt, revision, ...wanted } = await readStrict(c, newScriptSchema);
    const outcome = await stored(c, scripts.create(userId, wanted));
    if (outcome.kind !== 'written') throw unwritten(outcome);
    return scriptAnswer(c, outcome.record, 201);
  };

  const read: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const found = await stored(c, scripts.read(userId, paramOf(c, 'id')));
    if (found.kind === 'missing') throw noScript();
    return scriptAnswer(c, found.record, 200);
  };

  const save: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const id = paramOf(c, 'id');
    const { id: idInBody = id, createdAt, updatedAt, revision, ...text } = await readStrict(c, scriptSchema);
    if (idInBody !== id) throw refusal('INVALID_FIELD', 'id: the body and the address name different scripts');
    const outcome = await stored(c, scripts.save(userId, id, text, knownRevision(c, revision, noRevision)));
    if (outcome.kind !== 'written') throw unwritten(outcome);
    return scriptAnswer(c, outcome.record, outcome.created ? 201 : 200);
  };

  const remove: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const id = paramOf(c, 'id');
    const { revision } = await readStrict(c, removalSchema, { whenEmpty: {} });
    const outcome = await stored(c, scripts.remove(userId, id, knownRevision(c, revision, noRevision)));
    if (outcome.kind !== 'removed') throw unwritten(outcome);
    return c.json({ status: 'success', id, deleted: true });
  };

  // The draft first: its name would also match as an id.
  return [
    ...draftEndpoints(visit, stored),
    ...versionEndpoints(visit, stored),
    { ...LIBRARY_DOCS.list, handler: list },
    { ...LIBRARY_DOCS.create, handler: create },
    { ...LIBRARY_DOCS.read, handler: read },
    { ...LIBRARY_DOCS.save, handler: save },
    { ...LIBRARY_DOCS.remove, handler: remove },
  ];
}

type Visitor = (c: KitContext) => Promise<Visit>;

function draftEndpoints(visit: Visitor, stored: StorageGuard): readonly Endpoint[] {
  const readDraft: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const found = await stored(c, scripts.readDraft(userId));
    // No draft yet is what every new user has, and no fault.
    if (found.kind === 'missing') return c.json({ status: 'success', draft: null });
    const { record } = found;
    return c.json({ status: 'success', draft: draftView(record) }, 200, { etag: revisionTag(record.revision) });
  };

  const saveDraft: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const { createdAt, updatedAt, revision, ...text } = await readStrict(c, draftSchema);
    const outcome = await stored(c, scripts.saveDraft(userId, text, knownRevision(c, revision, noRevision)));
    if (outcome.kind !== 'written') throw unwritten(outcome);
    const { record, created } = outcome;
    const answer = { status: 'success', draft: draftView(record) };
    return c.json(answer, created ? 201 : 200, { etag: revisionTag(record.revision) });
  };

  return [
    { ...LIBRARY_DOCS.readDraft, handler: readDraft },
    { ...LIBRARY_DOCS.saveDraft, handler: saveDraft },
  ];
}

function versionEndpoints(visit: Visitor, stored: StorageGuard): readonly Endpoint[] {
  const versions: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const id = paramOf(c, 'id');
    const found = await stored(c, scripts.versions(userId, id));
    if (found.kind === 'missing') throw noScript();
    return c.json({ status: 'success', id, versions: found.record.map(versionView) });
  };

  const version: EndpointHandler = async (c) => {
    const { userId, scripts } = await visit(c);
    const revision = paramOf(c, 'revision');
    if (!DIGITS.test(revision))
      throw refusal('INVALID_FIELD', 'revision: is no revision, send one of those that /versions lists');
    const found = await stored(c, scripts.version(userId, paramOf(c, 'id'), Number(revision)));
    if (found.kind === 'missing')
      throw refusal('NOT_FOUND', 'there is no such version in this library; /versions lists those that are kept');
    return scriptAnswer(c, found.record, 200);
  };

  return [
    { ...LIBRARY_DOCS.versions, handler: versions },
    { ...LIBRARY_DOCS.version, handler: version },
  ];
}

function scriptAnswer(c: KitContext, script: Script, status: 200 | 201): Response {
  const headers = { etag: revisionTag(script.revision) };
  const answer = { status: 'success', script: scriptView(script) };
  return c.json(answer, status, status === 201 ? { ...headers, location: `/api/scripts/${script.id}` } : headers);
}

/** Everything one page may hold unless asked for less: some clients never ask for a second one. */
function limitOf(c: KitContext): number {
  const text = c.req.query('limit');
  if (text === undefined) return MAX_PAGE;
  // Any number that is none is refused in the words of the library.
  return DIGITS.test(text) ? Number(text) : Number.NaN;
}
