// The gate before the internal endpoints: a token, or while none is set clients on this very machine; or a session of the owner.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ClientAddress, isLoopbackAddress } from './client-address.ts';
import { type KitContext, type KitEnv, peerOf } from './context.ts';
import { Refusal } from './errors.ts';
import { type GuessLimit, NO_GUESS_LIMIT } from './guess-limit.ts';
import { isLoopbackHost } from './host-name.ts';
import { createOwnPages, type OwnPages, SAFE_METHODS } from './own-page.ts';
import { peerOfSocket } from './peers.ts';
import { type CookieValue, cookieText, readSessionCookie } from './session-cookie.ts';

export interface GateRequest {
  /** Of the socket. */
  peer: string | undefined;
  /** Of the client, behind trusted proxies; the peer when left out. */
  clientAddress?: string;
  /** As the request line says; unknown for calls that come over no socket. */
  httpVersion?: string | undefined;
  method?: string | undefined;
  /** The beginning of a WebSocket. */
  isHandshake?: boolean;
  /** The process at the door has seen a session of the owner; only it can say so. */
  isVouched?: boolean | undefined;
  header: (name: string) => string | undefined;
}

/** With the session of whoever came in by one. */
export type GateVerdict = { ok: true; session?: SessionPass } | { ok: false; message: string };

export interface SessionPass {
  readonly id: string;
  /** For what stays open behind the gate: calls back once when the session has ended. Returns how to stop. */
  whenEnded(listener: (end: SessionEnd) => void): () => void;
  /** For the answer, where the cookie was replaced. */
  readonly setCookie?: string | undefined;
}

/** `unknown`: nobody can say that it still lives. */
export type SessionEnd = 'ended' | 'unknown';

/** Sessions as the gate needs them. */
export interface SessionCheck {
  /** Undefined where this cookie lets nobody in. */
  use(
    cookie: string,
    from: { readonly address: string; readonly mayRotate: boolean },
  ): Promise<{ readonly id: string; readonly cookie?: CookieValue | undefined } | undefined>;
  /** Calls back once; soon for a session that has ended already. Returns how to stop. */
  watch(sessionId: string, onEnd: (end: SessionEnd) => void): () => void;
}

export interface InternalGate {
  /** The token when one is set, else the loopback rules; and where neither lets in, a session. */
  check(request: GateRequest): Promise<GateVerdict>;
  /** The loopback rules alone, whether or not a token is set: whoever is on this very machine, and is no page but our own where it changes something. */
  checkLoopback(request: GateRequest): GateVerdict;
  /** A session alone. Its cookie is not replaced where the answer has no place for a new one. */
  checkSession(request: GateRequest, options: { readonly mayRotate: boolean }): Promise<SessionPass | undefined>;
  /** From now on a session is as good as the token. */
  admitSessions(sessions: SessionCheck): void;
  readonly pages: OwnPages;
}

const PASS: GateVerdict = { ok: true };
const SET_A_TOKEN = 'Set INTERNAL_TOKEN on the server and send it as X-Internal-Auth-Key.';
/** Whichever of them a proxy or tunnel adds, one is enough to know that the client is not the peer. */
const FORWARDING_HEADERS = [
  ...['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto', 'via'],
  ...['x-forwarded-server', 'x-forwarded-port'],
  ...['x-client-ip', 'true-client-ip', 'cf-connecting-ip'],
];
/** What a browser says of a page of this machine, and of an address that its user typed. */
const OWN_SITES = ['same-origin', 'same-site', 'none'];
const BEARER = /^Bearer +(\S+) *$/i;

export interface InternalGateOptions {
  token?: string | undefined;
  /** Left out, guesses are not counted. */
  guesses?: GuessLimit;
  /** Which pages are our own. */
  pages?: OwnPages;
}

export function createInternalGate(options: InternalGateOptions): InternalGate {
  const { token, guesses = NO_GUESS_LIMIT, pages = createOwnPages({}) } = options;
  const expected = token === undefined || token === '' ? undefined : digest(token);
  let sessions: SessionCheck | undefined;
  const checkLoopback: InternalGate['checkLoopback'] = (request) => {
    const verdict = checkMachine(request);
    // A browser sends the simple calls of every page without asking, and no other page needs more than to look.
    if (verdict.ok && changesSomething(request) && pages.isForeign(request))
      return refuse(`Another web page of this machine sent this request. ${SET_A_TOKEN}`);
    return verdict;
  };
  const checkSession: InternalGate['checkSession'] = async (request, { mayRotate }) => {
    const { header, peer = '', clientAddress: address = peer } = request;
    const place = { host: header('host'), isSecure: pages.isSecure(request) };
    const known = sessions;
    const cookie = known && readSessionCookie(header('cookie'), place);
    // A browser sends the cookie by itself, also for the page of somebody else.
    if (known === undefined || cookie === undefined || !pages.isOwn(request)) return undefined;
    const used = await known.use(cookie, { address, mayRotate });
    if (used === undefined) return undefined;
    return {
      id: used.id,
      whenEnded: (listener) => known.watch(used.id, listener),
      ...(used.cookie && { setCookie: cookieText(used.cookie, place) }),
    };
  };
  return {
    async check(request) {
      if (request.isVouched === true) return PASS;
      const verdict = await (expected === undefined ? checkLoopback(request) : checkToken(request, expected, guesses));
      // Who shows a token is judged by it.
      if (verdict.ok || (expected !== undefined && givenToken(request) !== undefined)) return verdict;
      const session = await checkSession(request, { mayRotate: request.isHandshake !== true });
      return session === undefined ? verdict : { ok: true, session };
    },
    checkLoopback,
    checkSession,
    admitSessions(check) {
      sessions = check;
    },
    pages,
  };
}

const givenToken = ({ header }: GateRequest): string | undefined =>
  header('x-internal-auth-key') ?? BEARER.exec(header('authorization') ?? '')?.[1];

async function checkToken(request: GateRequest, expected: Buffer, guesses: GuessLimit): Promise<GateVerdict> {
  const { peer = '', clientAddress = peer } = request;
  const given = givenToken(request);
  if (given === undefined) {
    return refuse('No token. Send INTERNAL_TOKEN as X-Internal-Auth-Key, or as Authorization: Bearer.');
  }
  // Equal-length digests compared in constant time tell nothing about the token or its length.
  const isRight = await guesses.isRight(clientAddress, () => timingSafeEqual(digest(given), expected));
  return isRight ? PASS : refuse('Wrong token. Send the value of INTERNAL_TOKEN as X-Internal-Auth-Key.');
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** A WebSocket counts: a browser shows what it brings to whichever page began it. */
const changesSomething = ({ method, isHandshake }: GateRequest): boolean =>
  isHandshake === true || !SAFE_METHODS.includes(method ?? '');

/** Host guards against DNS rebinding, Origin and Sec-Fetch-Site against a web page in the owner's own browser. */
function checkMachine({ peer, header, httpVersion = '1.1' }: GateRequest): GateVerdict {
  if (peer === undefined || !isLoopbackAddress(peer)) {
    return refuse(`Without INTERNAL_TOKEN only this machine is served. ${SET_A_TOKEN}`);
  }
  const forwarded = FORWARDING_HEADERS.find((name) => header(name) !== undefined);
  if (forwarded !== undefined) {
    return refuse(`The request came through a proxy (${forwarded}). ${SET_A_TOKEN}`);
  }
  // What an old reverse proxy speaks by itself, and with a loopback Host: its clients are anybody.
  if (httpVersion === '1.0' || httpVersion === '0.9') {
    return refuse(`HTTP/${httpVersion} may come through a proxy. Speak HTTP/1.1 on this machine. ${SET_A_TOKEN}`);
  }
  if (!isLoopbackHost(header('host') ?? '')) {
    return refuse(`Without INTERNAL_TOKEN the Host must be localhost or a loopback address. ${SET_A_TOKEN}`);
  }
  const origin = header('origin');
  const site = header('sec-fetch-site') ?? 'none';
  if (!OWN_SITES.includes(site) || (origin !== undefined && !isLoopbackOrigin(origin))) {
    return refuse(`Another web site sent this request. ${SET_A_TOKEN}`);
  }
  return PASS;
}

function refuse(message: string): GateVerdict {
  return { ok: false, message };
}

function isLoopbackOrigin(origin: string): boolean {
  const scheme = /^https?:\/\//i.exec(origin)?.[0];
  return scheme !== undefined && isLoopbackHost(origin.slice(scheme.length));
}

export function gateRequestOf(c: KitContext): GateRequest {
  const bindings = (c.env as KitEnv['Bindings'] | undefined) ?? {};
  const { incoming, httpVersion = incoming?.httpVersion, isVouched } = bindings;
  return {
    peer: peerOf(c),
    clientAddress: c.var.clientAddress,
    httpVersion,
    method: c.req.method,
    isVouched,
    header: (name) => c.req.header(name),
  };
}

/** Of a request that no app has seen: one that is passed on, or the beginning of a WebSocket. */
export function gateRequestOfIncoming(
  { headers, method, httpVersion, socket }: IncomingMessage,
  clientAddress: ClientAddress,
  { isHandshake = false } = {},
): GateRequest {
  const peer = peerOfSocket(socket);
  const header = (name: string): string | undefined => [headers[name]].flat().join(', ') || undefined;
  const address = clientAddress(peer, header('x-forwarded-for'));
  return { peer, clientAddress: address, httpVersion, method, isHandshake, header };
}

/** The gate as doors use it; before `loopback` a client on this machine passes also while a token is set. */
export const internalGates = (gate: InternalGate) => ({
  internal: async (c: KitContext): Promise<void> => letIn(c, await gate.check(gateRequestOf(c))),
  loopback: async (c: KitContext): Promise<void> => {
    const request = gateRequestOf(c);
    if (!gate.checkLoopback(request).ok) letIn(c, await gate.check(request));
  },
});

function letIn(c: KitContext, verdict: GateVerdict): void {
  if (verdict.ok) {
    if (verdict.session) enterBySession(c, verdict.session);
    return;
  }
  throw new Refusal('UNAUTHORIZED', verdict.message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** Its id is there for the handler, and a new cookie goes out with the answer, whatever that is. */
export function enterBySession(c: KitContext, { id, setCookie }: SessionPass): void {
  c.set('sessionId', id);
  if (setCookie !== undefined) c.set('setCookie', setCookie);
}
