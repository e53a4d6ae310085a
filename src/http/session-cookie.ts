// The session cookie as browsers are told it and send it: for scripts of no page, for this host alone, and over TLS only where there is TLS.

export interface CookieValue {
  readonly value: string;
  readonly maxAgeSeconds: number;
}

/** What decides how the cookie is called. */
export interface CookiePlace {
  readonly host: string | undefined;
  /** The prefix that only a page over TLS can set. */
  readonly isSecure: boolean;
}

const NAME = 'signalbox_session';
const PORT = /:(\d{1,5})$/;

/** With the port, because browsers do not keep cookies of two ports apart: a second instance would end the login of the first. */
export function cookieName({ host = '', isSecure }: CookiePlace): string {
  const port = PORT.exec(host)?.[1];
  return `${isSecure ? '__Host-' : ''}${NAME}${port === undefined ? '' : `_${port}`}`;
}

export function cookieText({ value, maxAgeSeconds }: CookieValue, place: CookiePlace): string {
  const secure = place.isSecure ? '; Secure' : '';
  return `${cookieName(place)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

export const endedCookieText = (place: CookiePlace): string => cookieText({ value: '', maxAgeSeconds: 0 }, place);

/** Of two cookies with the name one was put there by somebody else, and nobody knows which: neither counts. */
export function readSessionCookie(header: string | undefined, place: CookiePlace): string | undefined {
  const begin = `${cookieName(place)}=`;
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin));
  return found.length === 1 ? found[0]?.slice(begin.length) : undefined;
}
