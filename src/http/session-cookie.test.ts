// The session cookie: how it is called, what it says, and how it is read.

import { describe, expect, test } from 'vitest';
import { cookieName, cookieText, endedCookieText, readSessionCookie } from './session-cookie.ts';

const PLAIN = { host: 'localhost:8787', isSecure: false };
const SECURE = { host: 'trade.example.com', isSecure: true };

test('is for no script, this host and every path; over TLS with the prefix that nobody else can set', () => {
  expect(cookieText({ value: 'a.b', maxAgeSeconds: 60 }, PLAIN)).toBe(
    'signalbox_session_8787=a.b; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
  );
  expect(cookieText({ value: 'a.b', maxAgeSeconds: 60 }, SECURE)).toBe(
    '__Host-signalbox_session=a.b; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
  );
  expect(endedCookieText(PLAIN)).toContain('signalbox_session_8787=; Path=/; Max-Age=0');
});

test('two instances of one machine have one each', () => {
  expect(cookieName({ ...PLAIN, host: 'localhost:8788' })).not.toBe(cookieName(PLAIN));
  expect(cookieName({ ...PLAIN, host: '[::1]' })).toBe('signalbox_session');
  expect(cookieName({ ...PLAIN, host: undefined })).toBe('signalbox_session');
});

describe('is read', () => {
  test.each([
    ['signalbox_session_8787=a.b', 'a.b'],
    ['theme=dark; signalbox_session_8787=a.b; x=y', 'a.b'],
    ['signalbox_session_8787=', ''],
  ])('from %j', (header, value) => {
    expect(readSessionCookie(header, PLAIN)).toBe(value);
  });

  test.each([
    undefined,
    '',
    'signalbox_session=a.b',
    'signalbox_session_87870=a.b',
    'xsignalbox_session_8787=a.b',
    '__Host-signalbox_session_8787=a.b',
    // Somebody on a neighbouring host has put one beside ours.
    'signalbox_session_8787=a.b; signalbox_session_8787=c.d',
  ])('as none from %j', (header) => {
    expect(readSessionCookie(header, PLAIN)).toBeUndefined();
  });

  test('over TLS only with the prefix', () => {
    expect(readSessionCookie('signalbox_session=a.b', SECURE)).toBeUndefined();
    expect(readSessionCookie('__Host-signalbox_session=a.b', SECURE)).toBe('a.b');
  });
});
