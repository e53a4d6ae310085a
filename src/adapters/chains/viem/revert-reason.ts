// Why a call would revert, in words: texts, panics and custom errors decoded, with a hint where one is known.

import { decodeAbiParameters, decodeErrorResult, parseAbi, toFunctionSelector } from 'viem/utils';
import type { Hex } from '../../../wallet/chain.ts';
import type { NodeRefusal } from './rpc-answer.ts';

const ERROR_SELECTOR = toFunctionSelector('Error(string)');
const PANIC_SELECTOR = toFunctionSelector('Panic(uint256)');
const MAX_TEXT_CHARS = 200;
/** `0x` and the four bytes that name an error. */
const SELECTOR_CHARS = 10;

/** The faults a contract's own language stops at. */
const PANICS: Readonly<Record<string, string>> = {
  0: 'a fault of the compiler',
  1: 'an assertion of the contract failed',
  17: 'a number grew too large or fell below zero',
  18: 'a division by zero',
  33: 'a value that is not in its list',
  34: 'storage that is badly encoded',
  49: 'taking from an empty list',
  50: 'a place beyond the end of a list',
  65: 'too much memory was asked for',
  81: 'a function that was never set',
};

/** The standard errors of ERC-20 (EIP-6093) and those of common building blocks. */
const KNOWN_ERRORS = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error SafeERC20FailedOperation(address token)',
  'error OwnableUnauthorizedAccount(address account)',
  'error AddressEmptyCode(address target)',
  'error FailedCall()',
  'error EnforcedPause()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
]);

const PRICE_MOVED = 'the price moved further than the slippage allowed; ask for a new quote';
const TOO_LATE = 'its deadline has passed; send it again';
const NOT_PAID = 'the balance or the allowance of the token is too low';
export const TOO_FEW_COINS = 'the account has too little of the chain’s coin for the value and the gas';
const ODD_TOKEN = 'the token keeps a part of every transfer, which this router cannot trade';

const HINTS: Readonly<Record<string, string>> = {
  'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT': PRICE_MOVED,
  'Too little received': PRICE_MOVED,
  'Insufficient WETH9': PRICE_MOVED,
  'UniswapV2Router: EXPIRED': TOO_LATE,
  'Transaction too old': TOO_LATE,
  STF: NOT_PAID,
  'TransferHelper: TRANSFER_FROM_FAILED': NOT_PAID,
  'TransferHelper::transferFrom: transferFrom failed': NOT_PAID,
  'UniswapV2: K': ODD_TOKEN,
  IIA: ODD_TOKEN,
  SPL: 'the pool has too little liquidity',
  'UniswapV2: INSUFFICIENT_LIQUIDITY': 'the pool has too little liquidity',
  ERC20InsufficientBalance: 'the balance of the token is too low',
  ERC20InsufficientAllowance: 'the allowance of the token is too low; approve it first',
};

/** Of what a contract reverted with. */
export function decodeRevert(data: Hex): string {
  if (data === '0x') return 'it reverts without a reason';
  const selector = data.slice(0, SELECTOR_CHARS);
  if (selector === ERROR_SELECTOR) return textOf(data) ?? `it reverts with an unreadable text (${selector})`;
  if (selector === PANIC_SELECTOR) return panicOf(data);
  return knownError(data) ?? `it reverts with the custom error ${selector}`;
}

/** Of what a node answered to a call: nodes put the bytes in different places, or only into their words. */
export function refusalReason({ message, data }: NodeRefusal): string {
  const bytes = revertBytes(data, 0);
  if (bytes !== undefined && bytes !== '0x') return decodeRevert(bytes);
  if (/insufficient funds|insufficient balance for transfer|OutOfFunds/i.test(message)) return TOO_FEW_COINS;
  const [, text] = /^execution reverted:? (.+)$/i.exec(message) ?? [];
  if (text !== undefined && !/^(without|no) (a )?(reason|data)|^custom error/i.test(text)) return hinted(clean(text));
  return /revert/i.test(message) ? decodeRevert('0x') : `the network would not carry it out: ${message}`;
}

/** The bytes of the revert, which some nodes wrap into an object or two. */
function revertBytes(data: unknown, depth: number): Hex | undefined {
  if (typeof data === 'string') {
    const [bytes] = /0x(?:[0-9a-fA-F]{2})*$/.exec(data) ?? [];
    return bytes as Hex | undefined;
  }
  if (typeof data !== 'object' || data === null || depth > 2) return undefined;
  const { data: inner, result, originalError } = data as Record<string, unknown>;
  return [inner, result, originalError]
    .map((value) => revertBytes(value, depth + 1))
    .find((bytes) => bytes !== undefined);
}

function textOf(data: Hex): string | undefined {
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], `0x${data.slice(SELECTOR_CHARS)}`);
    return text === '' ? decodeRevert('0x') : hinted(clean(text));
  } catch {
    return undefined;
  }
}

function panicOf(data: Hex): string {
  const digits = data.slice(SELECTOR_CHARS, SELECTOR_CHARS + 64);
  const code = digits === '' ? 'unknown' : BigInt(`0x${digits}`).toString();
  return `the contract stopped itself (panic ${code}): ${PANICS[code] ?? 'a fault it has no name for'}`;
}

function knownError(data: Hex): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: KNOWN_ERRORS, data });
    return hinted(errorName, `${errorName}(${(args ?? []).join(', ')})`);
  } catch {
    return undefined;
  }
}

const hinted = (key: string, text = key): string => (Object.hasOwn(HINTS, key) ? `${text} (${HINTS[key]})` : text);

/** A contract may say anything: it stays on one line, short, and cannot turn the text around. */
const clean = (text: string): string =>
  [...text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu, ' ').trim()].slice(0, MAX_TEXT_CHARS).join('');
