// Which addresses TradingView can reach, and what is said of the others.

import { expect, test } from 'vitest';
import { publicAddress } from './public-address.ts';

test.each([
  ['http://127.0.0.1:8787', 'this machine alone'],
  ['http://localhost:8787', 'this machine alone'],
  ['http://[::1]:8787', 'this machine alone'],
  ['http://192.168.1.5', 'outside your network'],
  ['https://nas.local', 'outside your network'],
  ['https://nas', 'outside your network'],
  ['https://trade.example.com:8443', 'the ports 443 and 80 alone'],
  ['http://trade.example.com', 'Without https'],
])('%s: %s', (address, words) => {
  expect(publicAddress(address, 'http://127.0.0.1:8787').doubt).toContain(words);
});

test('a public name with https is well, and BASE_URL counts before the address of the page', () => {
  expect(publicAddress('https://trade.example.com', 'http://localhost:8787')).toEqual({
    address: 'https://trade.example.com',
    doubt: undefined,
  });
  expect(publicAddress(null, 'https://here.example.com')).toEqual({
    address: 'https://here.example.com',
    doubt: undefined,
  });
});
