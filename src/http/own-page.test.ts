// Whose page sent a request: what browsers say of it, and what counts where they say nothing.

import { describe, expect, test } from 'vitest';
import { createAddressList } from './client-address.ts';
import { createOwnPages } from './own-page.ts';

const HOST = 'box.lan:8787';
const pages = createOwnPages({});

const ask = (method: string, headers: Record<string, string>, more: { isHandshake?: boolean } = {}) => ({
  method,
  ...more,
  header: (name: string) => ({ host: HOST, ...headers })[name],
});

describe('a page of our own', () => {
  test.each([
    ['GET', { 'sec-fetch-site': 'same-origin' }],
    ['POST', { 'sec-fetch-site': 'same-origin', origin: `http://${HOST}` }],
    // An address that was typed, a bookmark.
    ['GET', { 'sec-fetch-site': 'none' }],
    // Browsers say nothing more to a plain address that is not localhost.
    ['GET', {}],
    ['HEAD', {}],
    ['POST', { origin: `http://${HOST}` }],
    ['DELETE', { origin: `https://${HOST.toUpperCase()}` }],
  ])('%s %o', (method, headers) => {
    expect(pages.isOwn(ask(method, headers))).toBe(true);
    expect(pages.isForeign(ask(method, headers))).toBe(false);
  });
});

describe('a page of somebody else', () => {
  test.each([
    ['GET', { 'sec-fetch-site': 'cross-site' }],
    ['GET', { 'sec-fetch-site': 'same-site' }],
    ['POST', { 'sec-fetch-site': 'none' }],
    ['POST', { 'sec-fetch-site': 'same-site', origin: `http://${HOST}` }],
    ['POST', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['POST', { origin: 'http://evil.example' }],
    ['POST', { origin: 'http://box.lan' }],
    ['POST', { origin: 'http://box.lan:8788' }],
    ['POST', { origin: 'null' }],
    ['POST', { origin: '' }],
    ['GET', { origin: 'http://evil.example' }],
  ])('%s %o', (method, headers) => {
    expect(pages.isOwn(ask(method, headers))).toBe(false);
    expect(pages.isForeign(ask(method, headers))).toBe(true);
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ''])(
  '%s without a word of its page is nobody’s page',
  (method) => {
    expect(pages.isOwn(ask(method, {}))).toBe(false);
    expect(pages.isForeign(ask(method, {}))).toBe(false);
  },
);

test('a WebSocket begins with a GET and still has to say its page', () => {
  const handshake = (headers: Record<string, string>) => ask('GET', headers, { isHandshake: true });
  expect(pages.isOwn(handshake({}))).toBe(false);
  expect(pages.isOwn(handshake({ 'sec-fetch-site': 'none' }))).toBe(false);
  expect(pages.isOwn(handshake({ origin: 'http://evil.example' }))).toBe(false);
  expect(pages.isOwn(handshake({ origin: `http://${HOST}` }))).toBe(true);
});

describe('a name that somebody else could own and lead here (DNS rebinding)', () => {
  const named = (host: string) => ({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' });

  test.each(['evil.example', 'evil.example:8787', 'lan.evil.example', '192.168.1.5.evil.example:8787', 'box.lan.', ''])(
    'is no address of ours: %s',
    (host) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect(pages.isOwn(ask(method, named(host)))).toBe(false);
        expect(pages.isForeign(ask(method, named(host)))).toBe(true);
      }
      expect(pages.isOwn(ask('GET', named(host), { isHandshake: true }))).toBe(false);
    },
  );

  test.each([
    'localhost:8787',
    '127.0.0.1',
    '192.168.1.5:8787',
    '[fd00::5]:8787',
    'box',
    'BOX.local:1',
    'nas.home.arpa',
  ])('is not %s', (host) => {
    expect(pages.isOwn(ask('POST', named(host)))).toBe(true);
    expect(pages.isOwn(ask('GET', named(host), { isHandshake: true }))).toBe(true);
  });

  test('is not that of BASE_URL, on whatever port', () => {
    const based = createOwnPages({ baseUrl: 'http://trade.example.com:8787' });
    expect(based.isOwn(ask('POST', named('Trade.example.com:8787')))).toBe(true);
    expect(based.isOwn(ask('POST', named('trade.example.com')))).toBe(true);
    expect(based.isOwn(ask('POST', named('other.example.com')))).toBe(false);
  });

  test('is not one over TLS: nobody else has a certificate of it', () => {
    const proxied = createOwnPages({ trustedProxies: createAddressList(['10.0.0.1']) });
    const headers = { ...named('trade.example.com'), origin: 'https://trade.example.com' };
    const from = (peer: string, proto: string) => ({
      ...ask('POST', { ...headers, 'x-forwarded-proto': proto }),
      peer,
    });
    expect(proxied.isOwn(from('10.0.0.1', 'https'))).toBe(true);
    expect(proxied.isOwn(from('10.0.0.1', 'http'))).toBe(false);
    expect(proxied.isOwn(from('10.0.0.2', 'https'))).toBe(false);
  });

  test('does not concern programs, which are nobody’s page', () => {
    expect(pages.isForeign(ask('POST', { host: 'box.example.com' }))).toBe(false);
  });
});

describe('TLS', () => {
  const behind = createOwnPages({
    trustedProxies: createAddressList(['10.0.0.1']),
    baseUrl: 'https://trade.example.com',
  });
  const from = (peer: string, headers: Record<string, string>, method = 'POST') => ({ ...ask(method, headers), peer });

  test.each([
    ['10.0.0.1', { 'x-forwarded-proto': 'https' }, true],
    ['10.0.0.1', { 'x-forwarded-proto': 'http, https' }, true],
    ['10.0.0.1', { 'x-forwarded-proto': 'https, http' }, false],
    ['10.0.0.1', { 'x-forwarded-proto': 'http', host: 'trade.example.com' }, false],
    ['203.0.113.7', { 'x-forwarded-proto': 'https' }, false],
    ['203.0.113.7', { host: 'Trade.Example.com' }, true],
    ['203.0.113.7', { host: 'trade.example.com:8787' }, false],
    ['203.0.113.7', {}, false],
  ])('from %s with %o: %s', (peer, headers, isSecure) => {
    expect(behind.isSecure(from(peer, headers))).toBe(isSecure);
  });

  test.each([
    ['10.0.0.1', { 'x-forwarded-proto': 'https' }, true],
    ['10.0.0.1', { 'x-forwarded-proto': 'http', host: 'trade.example.com' }, false],
    // A proxy of this very machine, or a trusted one that says nothing of it: BASE_URL says what it speaks.
    ['127.0.0.1', { host: 'trade.example.com' }, true],
    ['10.0.0.1', { host: 'trade.example.com' }, true],
    ['127.0.0.1', { host: 'trade.example.com', 'x-forwarded-proto': 'http' }, false],
    ['127.0.0.1', {}, false],
    // Who comes straight to us speaks no TLS, whatever Host he writes.
    ['203.0.113.7', { host: 'trade.example.com' }, false],
    ['203.0.113.7', { host: 'trade.example.com', 'x-forwarded-proto': 'https' }, false],
  ])('from %s with %o it certainly came over TLS: %s', (peer, headers, isCertain) => {
    expect(behind.cameOverTls(from(peer, headers as Record<string, string>))).toBe(isCertain);
  });

  test('an http page is not a page of an https address', () => {
    const headers = { host: 'trade.example.com', origin: 'http://trade.example.com' };
    expect(behind.isOwn(from('203.0.113.7', headers))).toBe(false);
    expect(behind.isOwn(from('203.0.113.7', { ...headers, origin: 'https://trade.example.com' }))).toBe(true);
  });

  test('behind a proxy that puts its own Host there, BASE_URL says which page is ours', () => {
    const headers = { host: '127.0.0.1:8787', origin: 'https://trade.example.com' };
    expect(behind.isOwn(from('127.0.0.1', headers))).toBe(true);
  });

  test('a server without BASE_URL and proxies never takes anything for TLS', () => {
    expect(pages.isSecure(from('10.0.0.1', { 'x-forwarded-proto': 'https' }))).toBe(false);
  });
});
