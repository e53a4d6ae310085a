// A tiny assembler of EVM code, for contracts that behave oddly on purpose.

import type { Hex } from '../../../src/wallet/chain.ts';

const OPCODES = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  LT: 0x10,
  GT: 0x11,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  SHR: 0x1c,
  KECCAK256: 0x20,
  CALLER: 0x33,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODECOPY: 0x39,
  MLOAD: 0x51,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  JUMPDEST: 0x5b,
  PUSH0: 0x5f,
  DUP1: 0x80,
  DUP2: 0x81,
  SWAP1: 0x90,
  LOG3: 0xa3,
  RETURN: 0xf3,
  REVERT: 0xfd,
} as const;

/** An operation by name, a number to push, `:name` to mark a place, `@name` to push where that place is. */
export type Step = keyof typeof OPCODES | bigint | number | `:${string}` | `@${string}`;

/** A place takes two bytes, so code stays below 64 KiB; more would not be accepted by a chain anyway. */
const PLACE_BYTES = 2;

export function assemble(steps: readonly Step[]): Uint8Array {
  const code: number[] = [];
  const places = new Map<string, number>();
  const gaps: { at: number; name: string }[] = [];
  for (const step of steps) {
    if (typeof step !== 'string') code.push(...push(BigInt(step)));
    else if (step.startsWith(':')) {
      places.set(step.slice(1), code.length);
      code.push(OPCODES.JUMPDEST);
    } else if (step.startsWith('@')) {
      gaps.push({ at: code.length + 1, name: step.slice(1) });
      code.push(OPCODES.PUSH0 + PLACE_BYTES, 0, 0);
    } else code.push(OPCODES[step as keyof typeof OPCODES]);
  }
  for (const { at, name } of gaps) {
    const place = places.get(name);
    if (place === undefined) throw new Error(`no place is called ${name}`);
    code[at] = place >> 8;
    code[at + 1] = place & 0xff;
  }
  return Uint8Array.from(code);
}

function push(value: bigint): number[] {
  if (value === 0n) return [OPCODES.PUSH0];
  const digits = value.toString(16);
  const bytes = [...Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')];
  return [OPCODES.PUSH0 + bytes.length, ...bytes];
}

/** What a transaction without receiver carries: it runs `before` once and leaves `code` behind. */
export function deployable(code: Uint8Array, before: readonly Step[] = []): Hex {
  const head = (offset: number): Uint8Array =>
    assemble([...before, code.length, 'DUP1', offset, 'PUSH0', 'CODECOPY', 'PUSH0', 'RETURN']);
  // The head names its own length; with a number of one or two bytes that is settled after a few looks.
  let offset = head(0).length;
  while (head(offset).length !== offset) offset = head(offset).length;
  return `0x${Buffer.concat([head(offset), code]).toString('hex')}`;
}

/** Puts bytes into memory from its beginning, and pushes nothing. */
export function store(bytes: Uint8Array): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < bytes.length; at += 32) {
    const word = Buffer.alloc(32);
    word.set(bytes.subarray(at, at + 32));
    steps.push(BigInt(`0x${word.toString('hex')}`), at, 'MSTORE');
  }
  return steps;
}
