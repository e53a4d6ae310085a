// Which addresses a webhook may go to: those of the public internet, and none of this machine, its network or its cloud.

import { BlockList, isIP } from 'node:net';

/** First address and length of the prefix, and what lives there. */
const FORBIDDEN_IPV4: readonly (readonly [address: string, bits: number, what: string])[] = [
  ['0.0.0.0', 8, 'this host'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by a carrier (CGNAT)'],
  ['127.0.0.0', 8, 'loopback'],
  // Of Azure's host: it hands out secrets like the link-local ones, from a public address.
  ['168.63.129.16', 32, 'cloud metadata'],
  ['169.254.0.0', 16, 'link-local, cloud metadata'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, broadcast'],
];

/** The only part of IPv6 that is routed; everything else is loopback, private, link-local, multicast or IPv4 in disguise. */
const PUBLIC_IPV6 = ['2000::', 3] as const;
const FORBIDDEN_IPV6: readonly (readonly [address: string, bits: number])[] = [
  // Teredo, ORCHID and other special uses: some of them hold an IPv4 address.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 holds an IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
];

const forbidden4 = new BlockList();
for (const [address, bits] of FORBIDDEN_IPV4) forbidden4.addSubnet(address, bits, 'ipv4');
const public6 = new BlockList();
public6.addSubnet(...PUBLIC_IPV6, 'ipv6');
const forbidden6 = new BlockList();
for (const [address, bits] of FORBIDDEN_IPV6) forbidden6.addSubnet(address, bits, 'ipv6');

/** Of an address as text; whatever is no address is not public either. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !forbidden4.check(address, 'ipv4');
    case 6:
      // A zone names an interface of this machine: only link-local addresses have one.
      return !address.includes('%') && public6.check(address, 'ipv6') && !forbidden6.check(address, 'ipv6');
    default:
      return false;
  }
}
