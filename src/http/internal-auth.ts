// The gate before the internal endpoints: a token, or while none is set only clients on this very machine.
import { hash, timingSafeEqual } from 'node:crypto';
import { canonicalAddress } from './client-address.ts';
import { type KitContext, type KitEnv, peerOf } from './context.ts';
import { Refusal } from './errors.ts';
import { type GuessLimit, NO_GUESS_LIMIT } from './guess-limit.ts';

export interface GateRequest {
  /** Of the socket. */
  peer: string | undefined;
  /** Of the client, behind trusted proxies; the peer when left out. */
  clientAddress?: string;
  /** As the request line says; unknown for calls that come over no socket. */
  httpVersion?: string | undefined;
  header: (name: string) => string | undefined;
}

export type GateVerdict = { ok: true } | { ok: false; message: string };

export interface InternalGate {
  /** The token when one is set, else the loopback rules. */
  check(request: GateRequest): Promise<GateVerdict>;
  /** The loopback rules alone, whether or not a token is set. */
  checkLoopback(request: GateRequest): GateVerdict;
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
const HOST_FORM = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i;

export interface InternalGateOptions {
  token?: string | undefined;
  /** Left out, guesses are not counted. */
  guesses?: GuessLimit;
}

export function createInternalGate({ token, guesses = NO_GUESS_LIMIT }: InternalGateOptions): InternalGate {
  const expected = token === undefined || token === '' ? undefined : digest(token);
  return {
    check: async (request) =>
      expected === undefined ? checkLoopback(request) : checkToken(request, expected, guesses),
    checkLoopback,
  };
}

async function checkToken(request: GateRequest, expected: Buffer, guesses: GuessLimit): Promise<GateVerdict> {
  const { header, peer = '', clientAddress = peer } = request;
  const given = header('x-internal-auth-key') ?? BEARER.exec(header('authorization') ?? '')?.[1];
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

/** Host guards against DNS rebinding, Origin and Sec-Fetch-Site against a web page in the owner's own browser. */
function checkLoopback({ peer, header, httpVersion = '1.1' }: GateRequest): GateVerdict {
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

export function isLoopbackAddress(text: string): boolean {
  const address = canonicalAddress(text);
  return address !== undefined && (address === '::1' || /^127\./.test(address));
}

function isLoopbackHost(host: string): boolean {
  const name = HOST_FORM.exec(host)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  return name === 'localhost' || isLoopbackAddress(name.startsWith('[') ? name.slice(1, -1) : name);
}

function isLoopbackOrigin(origin: string): boolean {
  const scheme = /^https?:\/\//i.exec(origin)?.[0];
  return scheme !== undefined && isLoopbackHost(origin.slice(scheme.length));
}

export function gateRequestOf(c: KitContext): GateRequest {
  const { incoming, httpVersion = incoming?.httpVersion } = (c.env as KitEnv['Bindings'] | undefined) ?? {};
  return {
    peer: peerOf(c),
    clientAddress: c.var.clientAddress,
    httpVersion,
    header: (name) => c.req.header(name),
  };
}

/** The gate as doors use it; before `loopback` a client on this machine passes also while a token is set. */
export const internalGates = (gate: InternalGate) => ({
  internal: async (c: KitContext): Promise<void> => refuseStranger(await gate.check(gateRequestOf(c))),
  loopback: async (c: KitContext): Promise<void> => {
    const request = gateRequestOf(c);
    if (!gate.checkLoopback(request).ok) refuseStranger(await gate.check(request));
  },
});

function refuseStranger(verdict: GateVerdict): void {
  if (verdict.ok) return;
  throw new Refusal('UNAUTHORIZED', verdict.message, { headers: { 'www-authenticate': 'Bearer' } });
}
