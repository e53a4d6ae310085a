// Whether a request comes from a page of our own: what a browser sends along by itself, such as a cookie, proves nothing else (CSRF).
// One rule for calls, logins and WebSockets: the browser says that page and call have the same address, and that address is ours.

import { type AddressList, isLoopbackAddress } from './client-address.ts';
import { hostNameOf, isPrivateHost } from './host-name.ts';

export interface PageRequest {
  /** Of the socket. */
  readonly peer?: string | undefined;
  readonly method?: string | undefined;
  /** The beginning of a WebSocket: a GET that no browser keeps other sites from. */
  readonly isHandshake?: boolean;
  readonly header: (name: string) => string | undefined;
}

export interface PageOptions {
  readonly trustedProxies?: AddressList | undefined;
  /** BASE_URL. */
  readonly baseUrl?: string | undefined;
}

export interface OwnPages {
  /** Whether the address of the request is one of TLS, which the server itself never speaks. Host is believed: that can only make a cookie stricter. */
  isSecure(request: PageRequest): boolean;
  /** Whether it certainly came over TLS: by a proxy that is trusted, or one of this machine. Who comes straight to us can write any Host. */
  cameOverTls(request: PageRequest): boolean;
  /** A page of ours, or an address that the user has typed. */
  isOwn(request: PageRequest): boolean;
  /** A page of somebody else; programs that are no browser say nothing, and are nobody's page. */
  isForeign(request: PageRequest): boolean;
}

export const SAFE_METHODS = ['GET', 'HEAD'];

export function createOwnPages({ trustedProxies, baseUrl }: PageOptions): OwnPages {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  /** The last word is that of the proxy next to us. */
  const protocolOf = ({ header }: PageRequest): string | undefined =>
    header('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase();
  const isTrusted = ({ peer = '' }: PageRequest): boolean => trustedProxies?.includes(peer) === true;
  const isSecure = (request: PageRequest): boolean => {
    const told = isTrusted(request) ? protocolOf(request) : undefined;
    if (told !== undefined) return told === 'https';
    return base?.protocol === 'https:' && request.header('host')?.toLowerCase() === base.host;
  };
  const cameOverTls = (request: PageRequest): boolean => {
    const isNear = isTrusted(request) || isLoopbackAddress(request.peer ?? '');
    return isNear && isSecure(request) && (protocolOf(request) ?? 'https') === 'https';
  };
  /** Nobody else has this name, or a certificate of it. */
  const isOwnHost = (request: PageRequest): boolean => {
    const host = request.header('host') ?? '';
    return isPrivateHost(host) || isSecure(request) || (base !== undefined && hostNameOf(host) === base.hostname);
  };
  const isOwnOrigin = (origin: string, request: PageRequest): boolean => {
    if (origin === base?.origin) return true;
    const [, scheme, host] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
    if (host === undefined || (isSecure(request) && scheme !== 'https')) return false;
    return host.toLowerCase() === request.header('host')?.toLowerCase();
  };
  /** What the browser says; undefined where the request says nothing of a page. */
  const isSameAddress = (request: PageRequest): boolean | undefined => {
    const isSafe = request.isHandshake !== true && SAFE_METHODS.includes(request.method ?? '');
    const site = request.header('sec-fetch-site');
    if (site !== undefined) return site === 'same-origin' || (site === 'none' && isSafe);
    const origin = request.header('origin');
    if (origin !== undefined) return isOwnOrigin(origin, request);
    return isSafe ? true : undefined;
  };
  const verdict = (request: PageRequest): boolean | undefined =>
    isSameAddress(request) === true ? isOwnHost(request) : isSameAddress(request);
  return {
    isSecure,
    cameOverTls,
    isOwn: (request) => verdict(request) === true,
    isForeign: (request) => verdict(request) === false,
  };
}
