// Address lists and the client behind trusted proxies.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalAddress, createAddressList, createClientAddress } from './client-address.ts';

describe('an address list', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['203.0.113.7', '::ffff:203.0.113.7', true],
    ['::ffff:203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '::203.0.113.7', false],
    ['::203.0.113.7', '203.0.113.7', false],
    ['::203.0.113.7', '::cb00:7107', true],
    ['::203.0.113.0/120', '0::203.0.113.9', true],
    ['::ffff:10.0.0.0/104', '10.255.255.255', true],
    ['::ffff:10.0.0.0/104', '11.0.0.0', false],
    ['10.0.0.0/8', '10.0.0.0', true],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/32', '10.1.2.4', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '1.2.3.4', false],
    ['2001:db8::/32', '2001:DB8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['fe80::1', 'fe80::1%eth0', true],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['10.0.0.0/8', 'garbage', false],
    ['10.0.0.0/8', '', false],
    ['10.0.0.0/8', '10.1', false],
  ])('of %s asked for %s says %s', (entry, address, included) => {
    const list = createAddressList([entry]);
    expect(list.includes(address)).toBe(included);
    expect(list.includes(address)).toBe(included);
  });

  test('names every bad entry in one error', () => {
    const bad = [
      '1.2',
      '1.2.3.256',
      '01.2.3.4',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/08',
      '::1/129',
      'example.com',
      '',
      '1.2.3.4/',
      '0x7f.0.0.1',
    ];
    let message = '';
    try {
      createAddressList(['10.0.0.1', ...bad]);
    } catch (thrown) {
      message = (thrown as Error).message;
    }
    for (const entry of bad) expect(message).toContain(JSON.stringify(entry));
    expect(message).not.toContain('"10.0.0.1"');
  });

  test('agrees with plain arithmetic on every IPv4 range', () => {
    const address = fc.nat(0xffff_ffff);
    const dotted = (n: number) => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.');
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 32 }), (base, asked, bits) => {
        const size = 2 ** (32 - bits);
        const same = Math.floor(base / size) === Math.floor(asked / size);
        expect(createAddressList([`${dotted(base)}/${bits}`]).includes(dotted(asked))).toBe(same);
      }),
    );
  });

  test('keeps answering rightly after more addresses than it remembers', () => {
    const list = createAddressList(['10.0.0.0/16']);
    for (let i = 0; i < 10_000; i += 1) list.includes(`11.0.${i >> 8}.${i & 255}`);
    expect(list.includes('10.0.3.4')).toBe(true);
    expect(list.includes('11.0.3.4')).toBe(false);
  });
});

describe('the client address', () => {
  const client = createClientAddress(createAddressList(['10.0.0.0/8', '::1']));

  test.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '1.1.1.1', '203.0.113.7'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['::10.0.0.1', '1.1.1.1', '::a00:1'],
    ['10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2,10.0.0.3', '1.1.1.1'],
    ['10.0.0.1', '10.0.0.9, 10.0.0.2', '10.0.0.9'],
    ['10.0.0.1', '1.1.1.1, garbage, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '1.1.1.1, garbage', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1,', '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1:4711', '1.1.1.1'],
    ['::1', '[2001:db8::1]:443', '2001:db8::1'],
    ['::1', '2001:DB8:0::1', '2001:db8::1'],
    [undefined, '1.1.1.1', 'unknown'],
    ['no address', undefined, 'unknown'],
  ])('of peer %s with X-Forwarded-For %s is %s', (peer, forwardedFor, expected) => {
    expect(client(peer, forwardedFor)).toBe(expected);
  });

  test('can never be chosen by a header when no proxy is trusted', () => {
    const direct = createClientAddress(createAddressList([]));
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(direct('192.0.2.1', header)).toBe('192.0.2.1');
      }),
    );
  });

  test('is always an address in canonical form, whatever the header holds', () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string());
    fc.assert(
      fc.property(fc.array(hop, { maxLength: 60 }), (hops) => {
        const address = client('10.0.0.1', hops.join(', '));
        expect(canonicalAddress(address)).toBe(address);
      }),
    );
  });
});
