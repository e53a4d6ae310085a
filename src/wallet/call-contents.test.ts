// What is read out of encoded calls, written by another encoder: recipients, amounts and approvals at any depth.

import { encodeFunctionData, encodePacked, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { readCall } from './call-contents.ts';
import type { Address, Hex } from './chain.ts';
import { FRIEND, ROUTER, TOKEN, WALLET } from './testing/fake-chain.ts';

const OTHER: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ZERO: Address = '0x0000000000000000000000000000000000000000';

const encode = (signature: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as string[]), args } as never);
const read = (data: Hex, to: Address = ROUTER) => readCall({ to, data });

const V2 = '(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)';
const SINGLE =
  'exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 least, uint160 limit) params)';
const single = (recipient: Address) =>
  encode(SINGLE, [
    { tokenIn: TOKEN, tokenOut: OTHER, fee: 500, recipient, deadline: 9n, amountIn: 7n, least: 1n, limit: 0n },
  ]);
const path = encodePacked(['address', 'uint24', 'address'], [TOKEN, 500, OTHER]);

describe('a swap of a router', () => {
  test.each([
    ['V2', encode(`swapExactTokensForTokens${V2}`, [7n, 1n, [TOKEN, OTHER], FRIEND, 9n])],
    [
      'V2, for tokens that keep a part',
      encode(`swapExactTokensForETHSupportingFeeOnTransferTokens${V2}`, [7n, 1n, [TOKEN, OTHER], FRIEND, 9n]),
    ],
    ['V2, for an exact amount out', encode(`swapTokensForExactETH${V2}`, [1n, 7n, [TOKEN, OTHER], FRIEND, 9n])],
    ['V3', single(FRIEND)],
    [
      'V3 over a path',
      encode('exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 least) params)', [
        { path, recipient: FRIEND, deadline: 9n, amountIn: 7n, least: 1n },
      ]),
    ],
    [
      'V3 over a path, for an exact amount out',
      encode('exactOutput((bytes path, address recipient, uint256 amountOut, uint256 most) params)', [
        {
          path: encodePacked(['address', 'uint24', 'address'], [OTHER, 500, TOKEN]),
          recipient: FRIEND,
          amountOut: 1n,
          most: 7n,
        },
      ]),
    ],
    ['V3 in a multicall', encode('multicall(bytes[] calls)', [[single(FRIEND)]])],
    [
      'V3 in a multicall in a multicall with a deadline',
      encode('multicall(uint256 deadline, bytes[] calls)', [
        9n,
        [encode('multicall(bytes[] calls)', [[single(FRIEND)]])],
      ]),
    ],
  ])('%s tells who receives, and what is paid', (_name, data) => {
    expect(read(data)).toMatchObject({
      parties: [FRIEND],
      tokens: [TOKEN, OTHER],
      approvals: [],
      spends: [{ token: TOKEN, amount: 7n }],
      isOpaque: false,
    });
  });

  test('through the coin tells who gets it unwrapped, and the router itself is nobody', () => {
    const unwrap = encode('unwrapWETH9(uint256 least, address recipient)', [1n, FRIEND]);
    const data = encode('multicall(bytes[] calls)', [[single(ZERO), unwrap, encode('refundETH()', [])]]);
    expect(read(data)).toMatchObject({ parties: [FRIEND], isOpaque: false });
    const coins = encode('swapExactETHForTokens(uint256 least, address[] path, address to, uint256 deadline)', [
      ...[1n, [TOKEN, OTHER], FRIEND, 9n],
    ]);
    expect(read(coins)).toMatchObject({ parties: [FRIEND], spends: [] });
  });

  test('that hides something is opaque: a step nobody knows, data cut short, another language', () => {
    expect(read(encode('multicall(bytes[] calls)', [[single(FRIEND), '0x12345678']])).isOpaque).toBe(true);
    expect(read(single(FRIEND).slice(0, -64) as Hex).isOpaque).toBe(true);
    expect(read(encode('execute(bytes commands, bytes[] inputs)', ['0x00', []])).isOpaque).toBe(true);
    expect(read('0x12345678')).toMatchObject({ isOpaque: false, isKnown: false });
  });
});

describe('an approval', () => {
  test.each([
    ['approve(address spender, uint256 amount)', [FRIEND, 7n], { token: ROUTER, spender: FRIEND, amount: 7n }],
    [
      'increaseAllowance(address spender, uint256 amount)',
      [FRIEND, 7n],
      { token: ROUTER, spender: FRIEND, amount: 7n, adds: true },
    ],
    [
      'setApprovalForAll(address operator, bool approved)',
      [FRIEND, true],
      { token: ROUTER, spender: FRIEND, amount: 2n ** 256n - 1n, forAll: true },
    ],
    [
      'setApprovalForAll(address operator, bool approved)',
      [FRIEND, false],
      { token: ROUTER, spender: FRIEND, amount: 0n },
    ],
    [
      'approve(address token, address spender, uint160 amount, uint48 expiration)',
      [TOKEN, FRIEND, 2n ** 160n - 1n, 9],
      { token: TOKEN, spender: FRIEND, amount: 2n ** 160n - 1n },
    ],
    [
      'permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 deadline) permit, bytes signature)',
      [
        WALLET,
        { details: { token: TOKEN, amount: 7n, expiration: 9, nonce: 1 }, spender: FRIEND, deadline: 9n },
        '0x1234',
      ],
      { token: TOKEN, spender: FRIEND, amount: 7n },
    ],
    [
      'permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce)[] details, address spender, uint256 deadline) permit, bytes signature)',
      [
        WALLET,
        { details: [{ token: TOKEN, amount: 7n, expiration: 9, nonce: 1 }], spender: FRIEND, deadline: 9n },
        '0x1234',
      ],
      { token: TOKEN, spender: FRIEND, amount: 7n },
    ],
  ] as const)('by %s tells spender, token and amount', (signature, args, approval) => {
    expect(read(encode(signature, args))).toEqual({
      ...{ parties: [FRIEND], tokens: [], approvals: [approval], spends: [], routerBalances: [] },
      ...{ isOpaque: false, isKnown: true },
    });
  });
});
