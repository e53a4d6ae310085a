// Which origins pass: local ones always, listed ones exactly, everything else never.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOrigins } from './origins.ts';

describe('without a list', () => {
  const origins = createOrigins([]);

  test.each([
    'http://localhost',
    'http://localhost:3000',
    'https://localhost:8443',
    'http://127.0.0.1:5173',
    'http://[::1]:1',
    'https://[::1]',
  ])('a page of this machine passes: %s', (origin) => {
    expect(origins.allows(origin)).toBe(true);
  });

  test.each([
    '',
    'null',
    'http://localhost.evil.example',
    'http://evil.example',
    'http://localhost:3000.evil.example',
    'http://localhost:3000/',
    'http://user@localhost',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.2',
    'http://10.0.0.1',
    'file://',
    'ws://localhost',
    'chrome-extension://localhost',
    'http://localhost, http://evil.example',
    ' http://localhost',
    'http://localhost:3000\nx',
    '*',
  ])('another page does not: %j', (origin) => {
    expect(origins.allows(origin)).toBe(false);
  });
});

describe('a list', () => {
  test('adds exactly its origins', () => {
    const origins = createOrigins(['https://charts.example.com', 'http://192.168.1.5:3000']);
    expect(origins.allows('https://charts.example.com')).toBe(true);
    expect(origins.allows('http://192.168.1.5:3000')).toBe(true);
    expect(origins.allows('http://localhost:1')).toBe(true);
    expect(origins.allows('http://charts.example.com')).toBe(false);
    expect(origins.allows('https://charts.example.com:444')).toBe(false);
    expect(origins.allows('https://x.charts.example.com')).toBe(false);
    expect(origins.allows('https://charts.example.com.evil.example')).toBe(false);
  });

  test.each([
    [' https://Charts.Example.com/ ', 'https://charts.example.com'],
    ['https://charts.example.com:443', 'https://charts.example.com'],
    ['http://münchen.example', 'http://xn--mnchen-3ya.example'],
  ])('is read into the spelling of browsers: %j', (entry, origin) => {
    expect(createOrigins([entry]).allows(origin)).toBe(true);
  });

  test('with a star lets everybody in', () => {
    const origins = createOrigins(['*']);
    expect(origins.allows('https://anything.example')).toBe(true);
    expect(origins.allows('null')).toBe(true);
  });

  test('is refused whole, with every fault and the remedy', () => {
    const entries = ['example.com', 'https://a.example/path', 'null', '', 'https://*.example', 'https://u:p@a.example'];
    const open = () => createOrigins(['https://fine.example', ...entries]);
    for (const entry of entries) expect(open).toThrow(JSON.stringify(entry));
    expect(open).not.toThrow('fine.example');
    expect(open).toThrow('such as https://charts.example.com');
  });

  test.each([
    'https://a.example?x',
    'https://a.example#x',
    'https://a.example?',
    'data:text/html,x',
    'ftp://a.example',
  ])('does not take %s', (entry) => {
    expect(() => createOrigins([entry])).toThrow('Not an origin');
  });

  test('has a largest length', () => {
    const many = Array.from({ length: 1000 }, (_, n) => `https://h${n}.example`);
    expect(createOrigins(many).allows('https://h999.example')).toBe(true);
    expect(() => createOrigins([...many, 'https://one.more.example'])).toThrow('At most 1000');
  });
});

test('whatever an Origin header holds, only what is listed or local passes', () => {
  const origins = createOrigins(['https://charts.example.com']);
  const scheme = fc.constantFrom('http://', 'https://', 'https:/', 'ftp://', '');
  const host = fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'charts.example.com', 'localhost.evil', '127.0.0.2');
  const port = fc.constantFrom('', ':80', ':443', ':3000', ':', ':123456');
  const rest = fc.constantFrom('/', '.evil', '@evil', ' ', '?', '#');
  const user = fc.constantFrom('evil@', ' ');
  let passed = 0;
  fc.assert(
    fc.property(
      scheme,
      fc.option(user, { freq: 1 }),
      host,
      port,
      fc.option(rest, { freq: 1 }),
      (first, before, name, at, after) => {
        const text = first + (before ?? '') + name + at + (after ?? '');
        if (!origins.allows(text)) return;
        passed++;
        // What passes is an origin of this machine, or the listed one, to everybody who parses addresses properly.
        const { hostname, origin } = new URL(text);
        if (text !== 'https://charts.example.com') expect(['localhost', '127.0.0.1', '[::1]']).toContain(hostname);
        expect(origin).toBe(text.replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2'));
      },
    ),
    { numRuns: 2000 },
  );
  expect(passed).toBeGreaterThan(100);
});
