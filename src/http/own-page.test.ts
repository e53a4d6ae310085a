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
