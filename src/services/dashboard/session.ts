// GET, POST and DELETE /session: how this caller enters, logging in, and logging out.

import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { enterBySession, gateRequestOf } from '../../http/internal-auth.ts';
import { readValid } from '../../http/read-body.ts';
import { cookieText, endedCookieText } from '../../http/session-cookie.ts';
import { answer, cookiePlace, foreignPage, inHttpTerms, type SessionDeps, stateOf, tried } from './session-proof.ts';
import { answered, endedSchema, entrySchema, loginSchema, openedSchema, SHAPED, TAGS } from './session-schemas.ts';

const PATH = '/session';

export const sessionEntryEndpoints = (deps: SessionDeps): readonly Endpoint[] => [
  entryEndpoint(deps),
  loginEndpoint(deps),
  logoutEndpoint(deps),
];

const entryEndpoint = (deps: SessionDeps): Endpoint => ({
  method: 'get',
  path: PATH,
  door: 'public',
  summary: 'How this caller enters: at once, by a session, or not before a login',
  tags: TAGS,
  responses: answered('The way in; nothing more is told to strangers', entrySchema),
  async handler(c) {
    const verdict = await deps.gate.check(gateRequestOf(c));
    if (verdict.ok && verdict.session) enterBySession(c, verdict.session);
    const entry = !verdict.ok ? 'closed' : verdict.session ? 'session' : 'open';
    return answer(c, { entry, ...(await stateOf(deps)) });
  },
});

const loginEndpoint = (deps: SessionDeps): Endpoint => ({
  method: 'post',
  path: PATH,
  door: 'public',
  unknownQuery: 'refused',
  summary: 'Log in; the answer sets the session cookie',
  description:
    'The cookie opens what INTERNAL_TOKEN opens, for pages of this very address alone: neither /api and the analysis keys, ' +
    'nor what ADMIN_TOKEN or WALLET_TOKEN guard. A session that the caller has already ends.',
  tags: TAGS,
  body: loginSchema,
  bodyExample: { password: '$OWNER_PASSWORD' },
  responses: {
    ...answered('Logged in', openedSchema),
    400: { description: 'INVALID_JSON, INVALID_PAYLOAD' },
    401: { description: 'LOGIN_FAILED: the password or the code is wrong; CODE_NEEDED: send a code too' },
    403: { description: 'FOREIGN_PAGE' },
    429: { description: 'TOO_MANY_LOGINS: wait as long as Retry-After says' },
    503: { description: 'CODES_SEALED: the master key is missing or another one; a recovery code still lets in' },
  },
  async handler(c) {
    // It could try passwords from the owner's own address. Programs that are no browser say nothing of a page.
    if (deps.gate.pages.isForeign(gateRequestOf(c))) throw foreignPage();
    const { password, code } = await readValid(c, loginSchema, SHAPED);
    const { access } = deps;
    const origin = { address: c.var.clientAddress, userAgent: c.req.header('user-agent') ?? '' };
    const { id, cookie } = await tried(c, deps, (isKnownPlace) =>
      access.login({ password, code, origin, actor: actorOf(c), isKnownPlace }),
    );
    await endOwn(c, deps);
    c.set('setCookie', cookieText(cookie, cookiePlace(c, deps)));
    const found = (await access.sessions.list()).find((session) => session.id === id);
    return answer(c, { sessionId: id, endsAt: found?.endsAtMs ?? 0 });
  },
});

const logoutEndpoint = (deps: SessionDeps): Endpoint => ({
  method: 'delete',
  path: PATH,
  door: 'public',
  unknownQuery: 'refused',
  summary: 'Log out: the session ends, and the cookie is taken back',
  tags: TAGS,
  responses: { ...answered('There is no session any more', endedSchema), 403: { description: 'FOREIGN_PAGE' } },
  async handler(c) {
    // A cookie that nobody knows the page of could come from any site; without one there is nothing to end.
    if (c.req.header('cookie') !== undefined && !deps.gate.pages.isOwn(gateRequestOf(c))) throw foreignPage();
    const ended = await endOwn(c, deps);
    c.set('setCookie', endedCookieText(cookiePlace(c, deps)));
    return answer(c, { ended });
  },
});

/** Of the cookie that came with the request, where it has one. */
async function endOwn(c: KitContext, { access, gate }: SessionDeps): Promise<boolean> {
  const own = await gate.checkSession(gateRequestOf(c), { mayRotate: false });
  if (own !== undefined) await inHttpTerms(() => access.sessions.end(own.id, actorOf(c)));
  return own !== undefined;
}
