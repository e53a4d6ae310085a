// ERC-20 tokens with the oddities found in the wild, hand-assembled, and a contract that reverts with what it is told.

import { encodeAbiParameters, hexToBytes, stringToHex, toEventSelector, toFunctionSelector } from 'viem';
import type { Hex } from '../../../src/wallet/chain.ts';
import { assemble, deployable, type Step, store } from './assemble.ts';

export interface OddToken {
  readonly symbol: string;
  /** The first tokens had their names in one word instead of a text. */
  readonly symbolAs?: 'text' | 'word' | 'nothing';
  readonly decimals: number;
  /** Goes to the deployer. */
  readonly supply: bigint;
  /** What transfer and approve answer; `false` comes in place of carrying it out, as some do who never revert. */
  readonly answers?: 'true' | 'false' | 'nothing';
  /** An allowance can only be changed from zero or to zero. */
  readonly approvesFromZeroOnly?: boolean;
  /** Keeps a part of what is transferred, and tells of the whole in its event. */
  readonly feeBps?: number;
  /** Which transfers that is: all, or only those by their owner, so that a V3 pool can be paid in full and pays out less. */
  readonly taxes?: 'all' | 'payouts';
  /** Every transfer reverts with these bytes. */
  readonly refusesTransfersWith?: Hex;
}

const FROM = 0x80;
const TO = 0xa0;
const AMOUNT = 0xc0;
const SLOT = 0xe0;
/** How much of ten thousand arrives. */
const SHARE = 0x100;
const WHOLE = 10_000;

export function oddTokenCode(token: OddToken): Hex {
  const functions = {
    'symbol()': symbolOf(token),
    'decimals()': [token.decimals, '@word', 'JUMP'],
    'totalSupply()': [token.supply, '@word', 'JUMP'],
    'balanceOf(address)': [4, 'CALLDATALOAD', 'SLOAD', '@word', 'JUMP'],
    'allowance(address,address)': [
      0x40,
      4,
      'PUSH0',
      'CALLDATACOPY',
      0x40,
      'PUSH0',
      'KECCAK256',
      'SLOAD',
      '@word',
      'JUMP',
    ],
    'approve(address,uint256)': approve(token),
    'transfer(address,uint256)': [
      'CALLER',
      FROM,
      'MSTORE',
      ...argument(0, TO),
      ...argument(1, AMOUNT),
      ...([WHOLE - (token.feeBps ?? 0), SHARE, 'MSTORE', '@move', 'JUMP'] as Step[]),
    ],
    'transferFrom(address,address,uint256)': transferFrom(token),
  } satisfies Record<string, Step[]>;
  const names = Object.keys(functions) as (keyof typeof functions)[];
  const code = assemble([
    ...(['PUSH0', 'CALLDATALOAD', 0xe0, 'SHR'] as Step[]),
    ...names.flatMap((name): Step[] => ['DUP1', BigInt(toFunctionSelector(name)), 'EQ', `@${name}`, 'JUMPI']),
    ...revertWith('0x'),
    ...names.flatMap((name): Step[] => [`:${name}`, ...functions[name]]),
    ...([':move', ...move(token)] as Step[]),
    ...([':word', 'PUSH0', 'MSTORE', 0x20, 'PUSH0', 'RETURN'] as Step[]),
    ...([':done', ...(token.answers === 'nothing' ? ['STOP'] : [1, '@word', 'JUMP'])] as Step[]),
    ...([':short', ...revertWith(errorText('balance too low'))] as Step[]),
    ...([':forbidden', ...revertWith(errorText('allowance too low'))] as Step[]),
    ...([':set', ...revertWith('0x')] as Step[]),
  ]);
  // A balance lives in the place its owner's address counts to.
  return deployable(code, [token.supply, 'CALLER', 'SSTORE']);
}

/** Reverts with the bytes it is called with. */
export const ECHO_REVERT: Hex = deployable(
  assemble(['CALLDATASIZE', 'PUSH0', 'PUSH0', 'CALLDATACOPY', 'CALLDATASIZE', 'PUSH0', 'REVERT']),
);

/** What `require(false, text)` reverts with. */
export const errorText = (text: string): Hex =>
  `${toFunctionSelector('Error(string)')}${encodeAbiParameters([{ type: 'string' }], [text]).slice(2)}`;

const argument = (index: number, place: number): Step[] => [4 + 32 * index, 'CALLDATALOAD', place, 'MSTORE'];

function revertWith(bytes: Hex): Step[] {
  const data = hexToBytes(bytes);
  return [...store(data), data.length, 'PUSH0', 'REVERT'];
}

function symbolOf({ symbol, symbolAs = 'text' }: OddToken): Step[] {
  const word = BigInt(stringToHex(symbol, { size: 32 }));
  if (symbolAs === 'nothing') return revertWith('0x');
  if (symbolAs === 'word') return [word, '@word', 'JUMP'];
  return [0x20, 0, 'MSTORE', Buffer.byteLength(symbol), 0x20, 'MSTORE', word, 0x40, 'MSTORE', 0x60, 'PUSH0', 'RETURN'];
}

/** The place of an allowance is the hash of its two addresses, here taken from memory. */
const ALLOWANCE_SLOT: Step[] = ['PUSH0', 'MSTORE', 0x20, 'MSTORE', 0x40, 'PUSH0', 'KECCAK256'];

function approve({ approvesFromZeroOnly = false }: OddToken): Step[] {
  const slot: Step[] = [4, 'CALLDATALOAD', 'CALLER', ...ALLOWANCE_SLOT];
  const guard: Step[] = [
    'DUP1',
    'SLOAD',
    'ISZERO',
    'ISZERO',
    0x24,
    'CALLDATALOAD',
    'ISZERO',
    'ISZERO',
    'AND',
    '@set',
    'JUMPI',
  ];
  const event: Step[] = [0x24, 'CALLDATALOAD', 'PUSH0', 'MSTORE', 4, 'CALLDATALOAD', 'CALLER', topic('Approval')];
  return [
    ...slot,
    ...(approvesFromZeroOnly ? guard : []),
    ...([0x24, 'CALLDATALOAD', 'SWAP1', 'SSTORE'] as Step[]),
    ...event,
    ...([0x20, 'PUSH0', 'LOG3', '@done', 'JUMP'] as Step[]),
  ];
}

function transferFrom({ feeBps = 0, taxes = 'all' }: OddToken): Step[] {
  return [
    ...argument(0, FROM),
    ...argument(1, TO),
    ...argument(2, AMOUNT),
    ...([WHOLE - (taxes === 'all' ? feeBps : 0), SHARE, 'MSTORE'] as Step[]),
    ...(['CALLER', FROM, 'MLOAD', ...ALLOWANCE_SLOT, SLOT, 'MSTORE'] as Step[]),
    ...([AMOUNT, 'MLOAD', SLOT, 'MLOAD', 'SLOAD', 'LT', '@forbidden', 'JUMPI'] as Step[]),
    ...([AMOUNT, 'MLOAD', SLOT, 'MLOAD', 'SLOAD', 'SUB', SLOT, 'MLOAD', 'SSTORE', '@move', 'JUMP'] as Step[]),
  ];
}

function move({ refusesTransfersWith, answers }: OddToken): Step[] {
  if (answers === 'false') return [0, '@word', 'JUMP'];
  if (refusesTransfersWith !== undefined) return revertWith(refusesTransfersWith);
  const arriving: Step[] = [WHOLE, SHARE, 'MLOAD', AMOUNT, 'MLOAD', 'MUL', 'DIV'];
  return [
    ...([AMOUNT, 'MLOAD', FROM, 'MLOAD', 'SLOAD', 'LT', '@short', 'JUMPI'] as Step[]),
    ...([AMOUNT, 'MLOAD', FROM, 'MLOAD', 'SLOAD', 'SUB', FROM, 'MLOAD', 'SSTORE'] as Step[]),
    ...([...arriving, TO, 'MLOAD', 'SLOAD', 'ADD', TO, 'MLOAD', 'SSTORE'] as Step[]),
    ...([TO, 'MLOAD', FROM, 'MLOAD', topic('Transfer'), 0x20, AMOUNT, 'LOG3', '@done', 'JUMP'] as Step[]),
  ];
}

const topic = (name: 'Transfer' | 'Approval'): bigint => BigInt(toEventSelector(`${name}(address,address,uint256)`));
