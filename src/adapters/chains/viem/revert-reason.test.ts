// Reasons of reverts: whatever bytes or words a node answers, the reason is short, calm and on one line.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hex } from '../../../wallet/chain.ts';
import { decodeRevert, refusalReason } from './revert-reason.ts';
import { NodeRefusal } from './rpc-answer.ts';

/** `require(false, "nope")`. */
const NOPE: Hex = `0x08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${Buffer.from('nope').toString('hex').padEnd(64, '0')}`;
const reasonOf = (message: string, data?: unknown): string => refusalReason(new NodeRefusal(message, data));

describe('the answer of a node', () => {
  it.each([
    ['geth', 'execution reverted: nope', NOPE, 'nope'],
    ['a node that wraps the bytes', 'VM Exception', { data: NOPE }, 'nope'],
    ['a node that wraps them twice', 'Internal JSON-RPC error.', { originalError: { data: NOPE } }, 'nope'],
    ['OpenEthereum', 'VM execution error.', `Reverted ${NOPE}`, 'nope'],
    ['a contract whose text is cut short', 'execution reverted', NOPE.slice(0, 20), 'unreadable text'],
    ['a node that has only words', 'execution reverted: Too little received', undefined, 'the price moved'],
    ['a node that says nothing more', 'execution reverted', undefined, 'it reverts without a reason'],
    ['a node with empty bytes', 'execution reverted', '0x', 'it reverts without a reason'],
    [
      'a node that cannot read the error',
      'execution reverted: custom error 0x12345678',
      '0x12345678',
      'the custom error 0x12345678',
    ],
    [
      'an empty account',
      'insufficient funds for gas * price + value: have 0 want 1',
      undefined,
      'too little of the chain’s coin',
    ],
    [
      'a limit',
      'gas required exceeds allowance (30000000)',
      undefined,
      'the network would not carry it out: gas required exceeds',
    ],
  ])('of %s is understood', (_name, message, data, reason) => {
    expect(reasonOf(message, data)).toContain(reason);
  });

  it('that is built like a trap is read to a small depth', () => {
    const trap: Record<string, unknown> = {};
    trap.data = trap;
    expect(reasonOf('execution reverted', trap)).toBe('it reverts without a reason');
  });
});

describe('bytes', () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((data): Hex => `0x${Buffer.from(data).toString('hex')}`);
  const selectors = fc.constantFrom('08c379a0', '4e487b71', 'e450d38c', '');

  it('of any kind give a reason of one short line', () => {
    fc.assert(
      fc.property(selectors, bytes, (selector, data) => {
        const reason = decodeRevert(`0x${selector}${data.slice(2)}`);
        expect(reason.length).toBeGreaterThan(0);
        expect(reason.length).toBeLessThan(700);
        expect(reason).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
      { numRuns: 500 },
    );
  });

  it('and words of any kind do too', () => {
    const anything = fc.oneof(bytes, fc.object({ maxDepth: 4 }), fc.string(), fc.constant(undefined));
    fc.assert(
      fc.property(fc.string(), anything, (message, data) => {
        expect(reasonOf(message, data).length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
