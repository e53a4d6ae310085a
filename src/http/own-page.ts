// Whether a request comes from a page of our own: what a browser sends along by itself, such as a cookie, proves nothing else (CSRF).

import type { AddressList } from './client-address.ts';

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
  /** Whether the browser spoke TLS; the server itself never does. */
  isSecure(request: PageRequest): boolean;
  /** A page of ours, or an address that the user has typed. */
  isOwn(request: PageRequest): boolean;
  /** A page of somebody else; programs that are no browser say nothing, and are nobody's page. */
  isForeign(request: PageRequest): boolean;
}

const SAFE_METHODS = ['GET', 'HEAD'];

export function createOwnPages({ trustedProxies, baseUrl }: PageOptions): OwnPages {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const isSecure = ({ peer, header }: PageRequest): boolean => {
    const told = peer !== undefined && trustedProxies?.includes(peer) ? header('x-forwarded-proto') : undefined;
    // The last word is that of the proxy next to us.
    if (told !== undefined) return told.split(',').at(-1)?.trim().toLowerCase() === 'https';
    return base?.protocol === 'https:' && header('host')?.toLowerCase() === base.host;
  };
  const isOwnOrigin = (origin: string, request: PageRequest): boolean => {
    if (origin === base?.origin) return true;
    const [, scheme, host] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
    if (host === undefined || (isSecure(request) && scheme !== 'https')) return false;
    return host.toLowerCase() === request.header('host')?.toLowerCase();
  };
  /** Undefined where the request says nothing of a page. */
  const verdict = (request: PageRequest): boolean | undefined => {
    const isSafe = request.isHandshake !== true && SAFE_METHODS.includes(request.method ?? '');
    const site = request.header('sec-fetch-site');
    if (site !== undefined) return site === 'same-origin' || (site === 'none' && isSafe);
    const origin = request.header('origin');
    if (origin !== undefined) return isOwnOrigin(origin, request);
    return isSafe ? true : undefined;
  };
  return {
    isSecure,
    isOwn: (request) => verdict(request) === true,
    isForeign: (request) => verdict(request) === false,
  };
}
