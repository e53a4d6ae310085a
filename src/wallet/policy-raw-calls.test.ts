// Caps, allowlist and leftovers against raw calls as an attacker with the wallet's token would write them.

import { encodeFunctionData, encodePacked, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import type { Address, Hex } from './chain.ts';
import { checkPolicy, type PolicyRules } from './policy.ts';
import { FRIEND, ROUTER, TOKEN as USDC, WALLET } from './testing/fake-chain.ts';

const WETH: Address = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const EVIL: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const V3_ROUTER: Address = '0xE592427A0AEce92De3Edee1F18E0157C05861564';
const word = (value: number): Address => `0x${String(value).padStart(40, '0')}`;
const MAX = 2n ** 256n - 1n;

const encode = (signature: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as string[]), args } as never);
const multicall = (...steps: readonly Hex[]): Hex => encode('multicall(bytes[] calls)', [steps]);
const packed = (...tokens: readonly Address[]): Hex =>
  encodePacked(
    tokens.flatMap((_, hop) => (hop === 0 ? ['address'] : ['uint24', 'address'])),
    tokens.flatMap((token, hop) => (hop === 0 ? [token] : [500, token])),
  );
interface Single {
  readonly tokenIn?: Address;
  readonly tokenOut?: Address;
  readonly recipient?: Address;
  readonly amountIn?: bigint;
}
const FIRST =
  'exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 least, uint160 limit) params)';
const SECOND = FIRST.replace(' uint256 deadline,', '');
const params = (asked: Single) => ({
  ...{ tokenIn: USDC, tokenOut: WETH, fee: 500, recipient: WALLET, deadline: 9n, amountIn: 10n, least: 0n, limit: 0n },
  ...asked,
});
const first = (asked: Single = {}): Hex => encode(FIRST, [params(asked)]);
const second = (asked: Single = {}): Hex => encode(SECOND, [params(asked)]);
const v2 = (path: readonly Address[], to: Address = WALLET): Hex =>
  encode('swapExactTokensForTokens(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)', [
    ...[10n, 0n, path, to, 9n],
  ]);
const v3Path = (path: Hex): Hex =>
  encode('exactInput((bytes path, address recipient, uint256 amountIn, uint256 least) params)', [
    { path, recipient: WALLET, amountIn: 10n, least: 0n },
  ]);
const unwrap = (to: Address = WALLET): Hex => encode('unwrapWETH9(uint256 least, address recipient)', [0n, to]);
const sweep = (token: Address, to: Address = WALLET): Hex =>
  encode('sweepToken(address token, uint256 least, address recipient)', [token, 0n, to]);
const refund = encode('refundETH()');
const universal = encode('execute(bytes commands, bytes[] inputs)', ['0x00', ['0x']]);

const NO_RULES: PolicyRules = {
  ...{ maxValueWei: undefined, dailyLimitWei: undefined, maxPriceImpactBps: undefined },
  ...{ allowedContracts: new Set<Address>(), caps: new Map<string, bigint>() },
};
const CAPPED: PolicyRules = { ...NO_RULES, caps: new Map([[`ethereum:${USDC}`, 10n]]) };
const LISTED: PolicyRules = { ...NO_RULES, allowedContracts: new Set([ROUTER, USDC, WETH]) };
const check = (rules: PolicyRules, data: Hex, { to = ROUTER, valueWei = 0n } = {}) => {
  const account = { chain: 'ethereum', address: WALLET } as const;
  return () => checkPolicy({ operation: 'send', call: { to, data, valueWei }, details: {} }, rules, account);
};

describe('a cap', () => {
  test('is for all steps of a transaction together', () => {
    expect(check(CAPPED, multicall(first({ amountIn: 4n }), first({ amountIn: 6n })))).not.toThrow();
    expect(check(CAPPED, multicall(first({ amountIn: 4n }), first({ amountIn: 7n })))).toThrow('11 of');
    expect(check(CAPPED, multicall(first(), multicall(first(), first())))).toThrow('30 of');
    const batch = encode('transferFrom((address from, address to, uint160 amount, address token)[] batch)', [
      [1, 2, 3].map(() => ({ from: WALLET, to: FRIEND, amount: 10n, token: USDC })),
    ]);
    expect(check(CAPPED, batch)).toThrow('30 of');
  });

  test.each([
    ['the Universal Router', universal],
    ['a multicall with a step nobody knows', multicall(first(), '0x12345678')],
    ['data cut short', first().slice(0, -64) as Hex],
    ['a path that is none', v3Path(`${packed(USDC, WETH)}00`)],
    ['a function nobody knows', '0x12345678'],
  ] as const)('refuses what it cannot count: %s', (_name, data) => {
    expect(check(CAPPED, data)).toThrow('WALLET_CAPS');
    expect(check(NO_RULES, data)).not.toThrow();
    const ofCoin = {
      ...NO_RULES,
      caps: new Map([
        ['ethereum:native', 10n],
        [`polygon:${USDC}`, 1n],
      ]),
    };
    expect(check(ofCoin, data)).not.toThrow();
  });

  test('lets an unknown function of a contract on the allowlist pass, but not one of a capped token or a known router', () => {
    const both = { ...CAPPED, allowedContracts: new Set([ROUTER, USDC, V3_ROUTER]) };
    expect(check(both, '0x12345678')).not.toThrow();
    expect(check(both, '0x12345678', { to: USDC })).toThrow('WALLET_CAPS');
    expect(check(both, '0x12345678', { to: V3_ROUTER })).toThrow('WALLET_CAPS');
    expect(check(CAPPED, '0x', { valueWei: 5n })).not.toThrow();
  });

  test('counts what a router pulls', () => {
    const pull = (amount: bigint) => encode('pull(address token, uint256 amount)', [USDC, amount]);
    expect(check(CAPPED, multicall(pull(11n), sweep(USDC)))).toThrow('11 of');
    expect(check(CAPPED, multicall(pull(10n), sweep(USDC)))).not.toThrow();
    expect(check(CAPPED, pull(10n))).toThrow('stay in the router');
  });

  test.each([
    ['increaseApproval(address spender, uint256 amount)', []],
    ['approveAndCall(address spender, uint256 amount, bytes data)', ['0x']],
    ['approveAndCall(address spender, uint256 amount)', []],
    ['transferAndCall(address to, uint256 amount, bytes data)', ['0x']],
    ['transferAndCall(address to, uint256 amount)', []],
    ['send(address to, uint256 amount, bytes data)', ['0x']],
  ])('and the allowlist see %s of a token', (signature, more) => {
    const data = (party: Address, amount: bigint) => encode(signature, [party, amount, ...more]);
    const rules = { ...LISTED, caps: CAPPED.caps };
    expect(check(rules, data(ROUTER, 10n), { to: USDC })).not.toThrow();
    expect(check(rules, data(ROUTER, 11n), { to: USDC })).toThrow('WALLET_CAPS');
    expect(check(rules, data(ROUTER, MAX), { to: USDC })).toThrow('WALLET_CAPS');
    expect(check(rules, data(FRIEND, 10n), { to: USDC })).toThrow(FRIEND);
  });
});

test('approvals without limit are refused by any of their names', () => {
  for (const name of ['increaseApproval', 'approveAndCall'])
    expect(check(NO_RULES, encode(`${name}(address spender, uint256 amount)`, [ROUTER, MAX]), { to: USDC })).toThrow(
      'without limit',
    );
});

describe('the allowlist covers every token of a swap', () => {
  test.each([
    ['V2', v2([USDC, EVIL]), v2([USDC, WETH])],
    ['V2, in the middle', v2([USDC, EVIL, WETH]), v2([USDC, WETH, USDC])],
    ['V3', first({ tokenOut: EVIL }), first()],
    ['V3, of the second router', second({ tokenOut: EVIL }), second()],
    ['V3 over a path', v3Path(packed(USDC, EVIL, WETH)), v3Path(packed(USDC, WETH, USDC))],
    ['a multicall', multicall(first(), first({ tokenOut: EVIL })), multicall(first(), first())],
  ])('%s', (_name, bad, good) => {
    expect(check(LISTED, bad)).toThrow(EVIL);
    expect(check(LISTED, good)).not.toThrow();
  });

  test('and the token Permit2 moves', () => {
    const move = encode('transferFrom(address from, address to, uint160 amount, address token)', [
      ...[WALLET, ROUTER, 1n, EVIL],
    ]);
    expect(check(LISTED, move)).toThrow(EVIL);
  });
});

describe('nothing stays in a router', () => {
  test.each([
    ['the first router’s word for itself', first({ recipient: word(0) })],
    ['the second router’s word for itself', second({ recipient: word(2) })],
    ['the router by its address', first({ recipient: ROUTER })],
    ['the V2 router by its address', v2([USDC, WETH], ROUTER)],
    ['another token swept', multicall(first({ recipient: word(0) }), sweep(USDC))],
    ['swept too early', multicall(sweep(WETH), first({ recipient: word(0) }))],
    ['swept to the router', multicall(first({ recipient: word(0) }), sweep(WETH, ROUTER))],
    [
      'unwrapped, but it is another token',
      multicall(first({ tokenIn: WETH, tokenOut: USDC, recipient: word(0) }), unwrap()),
    ],
  ])('refused: %s', (_name, data) => {
    for (const rules of [NO_RULES, LISTED, CAPPED]) expect(check(rules, data)).toThrow('stay in the router');
  });

  test('signed: handed out in the same multicall to who may receive', () => {
    expect(check(LISTED, multicall(first({ recipient: word(0) }), sweep(WETH)))).not.toThrow();
    expect(check(LISTED, multicall(second({ recipient: word(2) }), unwrap()))).not.toThrow();
    expect(check(LISTED, second({ recipient: word(1) }))).not.toThrow();
    expect(check(LISTED, multicall(first({ recipient: word(0) }), unwrap(FRIEND)))).toThrow(FRIEND);
  });

  test('words that a router does not know are strangers', () => {
    const strange = [second({ recipient: word(0) }), first({ recipient: word(1) }), v2([USDC, WETH], word(2))];
    for (const data of [...strange, unwrap(word(0))]) expect(check(LISTED, data)).toThrow('WALLET_ALLOWED_CONTRACTS');
  });

  test('coins that are sent along are handed back', () => {
    const wrap = encode('wrapETH(uint256 amount)', [5n]);
    const coins = { valueWei: 5n };
    const buy = first({ tokenIn: WETH, tokenOut: USDC, amountIn: 5n });
    for (const data of [multicall(), wrap, multicall(wrap), multicall(wrap, refund), buy, multicall(refund, buy)])
      expect(check(LISTED, data, coins)).toThrow('stay in the router');
    expect(check(LISTED, multicall(buy, refund), coins)).not.toThrow();
    expect(check(LISTED, multicall(wrap, unwrap(), refund), coins)).not.toThrow();
    const v2Buy = encode('swapExactETHForTokens(uint256 least, address[] path, address to, uint256 deadline)', [
      ...[0n, [WETH, USDC], WALLET, 9n],
    ]);
    expect(check(LISTED, v2Buy, coins)).not.toThrow();
  });

  test('nor is anything sent to a known router, which may only spend', () => {
    const rules = { ...LISTED, allowedContracts: new Set([ROUTER, USDC, WETH, V3_ROUTER]) };
    const token = (name: string) => encode(`${name}(address to, uint256 amount)`, [V3_ROUTER, 1n]);
    expect(check(rules, token('transfer'), { to: USDC })).toThrow('is a router');
    expect(check(rules, v2([USDC, WETH], V3_ROUTER))).toThrow('is a router');
    expect(check(rules, '0x', { to: V3_ROUTER, valueWei: 1n })).toThrow('is a router');
    expect(check(rules, token('approve'), { to: USDC })).not.toThrow();
  });
});
