// The commands of the Universal Router, written by another encoder: who receives, what is paid, and what would stay in it.

import { concatHex, encodeAbiParameters, encodeFunctionData, encodePacked, parseAbi, parseAbiParameters } from 'viem';
import { describe, expect, test } from 'vitest';
import { checksumAddress } from './address.ts';
import { KNOWN_ROUTERS, readCall } from './call-contents.ts';
import { WRAPPED_COINS } from './call-contents-parts.ts';
import { UNIVERSAL_ROUTERS } from './call-contents-universal.ts';
import type { Address, Hex } from './chain.ts';
import { FRIEND, TOKEN, WALLET } from './testing/fake-chain.ts';

const [UNIVERSAL] = UNIVERSAL_ROUTERS as [Address];
const OTHER: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const WETH = WRAPPED_COINS.ethereum;
const NATIVE: Address = '0x0000000000000000000000000000000000000000';
const CALLER: Address = '0x0000000000000000000000000000000000000001';
const ITSELF: Address = '0x0000000000000000000000000000000000000002';
const ALL = 2n ** 255n;

type Step = readonly [command: Hex, input: Hex];
const step = (command: Hex, types: string, ...values: readonly unknown[]): Step => [
  command,
  encodeAbiParameters(parseAbiParameters(types) as never, values as never),
];
const V2_SWAP = 'address, uint256, uint256, address[], bool';
const V3_SWAP = 'address, uint256, uint256, bytes, bool';
const MOVE = 'address, address, uint256';
const path = (...tokens: readonly [Address, Address]) =>
  encodePacked(['address', 'uint24', 'address'], [tokens[0], 500, tokens[1]]);

const v2In = (to: Address, amount: bigint, way: readonly Address[], byCaller = true) =>
  step('0x08', V2_SWAP, to, amount, 1n, way, byCaller);
const v3In = (to: Address, amount: bigint, way: readonly [Address, Address], byCaller = true) =>
  step('0x00', V3_SWAP, to, amount, 1n, path(...way), byCaller);
const wrap = (to: Address, amount: bigint) => step('0x0b', 'address, uint256', to, amount);
const unwrap = (to: Address) => step('0x0c', 'address, uint256', to, 1n);
const sweep = (token: Address, to: Address) => step('0x04', MOVE, token, to, 1n);

function read(steps: readonly Step[], valueWei = 0n, to = UNIVERSAL) {
  const args = [concatHex(steps.map(([command]) => command)), steps.map(([, input]) => input)] as const;
  const plain = encodeFunctionData({ abi: parseAbi(['function execute(bytes commands, bytes[] inputs)']), args });
  const timed = encodeFunctionData({
    abi: parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline)']),
    args: [...args, 9n],
  });
  const contents = readCall({ to, data: plain, valueWei });
  expect(readCall({ to, data: timed, valueWei })).toEqual(contents);
  return contents;
}

test('the routers are known, and written as they should be', () => {
  for (const address of UNIVERSAL_ROUTERS) {
    expect(checksumAddress(address.toLowerCase() as Address)).toBe(address);
    expect(KNOWN_ROUTERS.has(address)).toBe(true);
  }
});

describe('a swap', () => {
  test.each([
    ['V2', [v2In(FRIEND, 7n, [TOKEN, OTHER])]],
    ['V2, for an exact amount out', [step('0x09', V2_SWAP, FRIEND, 1n, 7n, [TOKEN, OTHER], true)]],
    ['V3', [v3In(FRIEND, 7n, [TOKEN, OTHER])]],
    ['V3, for an exact amount out', [step('0x01', V3_SWAP, FRIEND, 1n, 7n, path(OTHER, TOKEN), true)]],
  ])('%s tells who receives, and what is paid', (_, steps) => {
    expect(read(steps)).toEqual({
      ...{ parties: [FRIEND], tokens: [TOKEN, OTHER], approvals: [], spends: [{ token: TOKEN, amount: 7n }] },
      ...{ routerBalances: [], isOpaque: false, isKnown: true },
    });
  });

  test('of coins: what is wrapped is what is paid, and nothing stays', () => {
    const contents = read([wrap(ITSELF, 7n), v3In(CALLER, 7n, [WETH, TOKEN], false)], 7n);
    expect(contents).toMatchObject({ parties: [], tokens: [WETH, TOKEN], spends: [], routerBalances: [] });
  });

  test('into coins: what comes out is unwrapped for somebody', () => {
    const contents = read([v2In(ITSELF, 7n, [TOKEN, WETH]), unwrap(FRIEND)]);
    expect(contents).toMatchObject({ parties: [FRIEND], spends: [{ token: TOKEN, amount: 7n }], routerBalances: [] });
  });

  test('over two kinds of pools goes on with all that came out of the first', () => {
    const contents = read([v2In(ITSELF, 7n, [TOKEN, OTHER]), v3In(CALLER, ALL, [OTHER, WETH], false)]);
    expect(contents).toMatchObject({ parties: [], spends: [{ token: TOKEN, amount: 7n }], routerBalances: [] });
  });
});

describe('what stays in the router', () => {
  test.each([
    ['a swap to the router itself', [v2In(ITSELF, 7n, [TOKEN, OTHER])], 0n, [OTHER]],
    ['to its address', [v2In(UNIVERSAL, 7n, [TOKEN, OTHER])], 0n, [OTHER]],
    ['coins that no step uses', [v2In(CALLER, 7n, [TOKEN, OTHER])], 9n, ['native']],
    ['coins that are wrapped in part', [wrap(CALLER, 7n)], 9n, ['native']],
    ['wrapped coins that nobody gets', [wrap(ITSELF, 9n)], 9n, ['wrapped']],
    ['what a swap from the router leaves', [wrap(ITSELF, 9n), v3In(CALLER, 7n, [WETH, TOKEN], false)], 9n, ['wrapped']],
    [
      'what is left of an exact amount out',
      [wrap(ITSELF, 9n), step('0x09', V2_SWAP, CALLER, 1n, 9n, [WETH, TOKEN], false)],
      9n,
      ['wrapped'],
    ],
    ['unwrapped coins', [v2In(ITSELF, 7n, [TOKEN, WETH]), unwrap(ITSELF)], 0n, ['native']],
    ['what a portion leaves', [v2In(ITSELF, 7n, [TOKEN, OTHER]), step('0x06', MOVE, OTHER, FRIEND, 30n)], 0n, [OTHER]],
    ['what was pulled in and not used', [step('0x02', 'address, address, uint160', TOKEN, ITSELF, 7n)], 0n, [TOKEN]],
    ['what is swept to itself', [v2In(ITSELF, 7n, [TOKEN, OTHER]), sweep(OTHER, ITSELF)], 0n, [OTHER]],
  ] as const)('%s is told', (_, steps, valueWei, left) => {
    expect(read(steps, valueWei).routerBalances).toEqual(left.map((token) => ({ token, stays: true })));
  });

  test.each([
    ['a sweep', [v2In(ITSELF, 7n, [TOKEN, OTHER]), sweep(OTHER, FRIEND)]],
    [
      'a portion and a sweep',
      [v2In(ITSELF, 7n, [TOKEN, OTHER]), step('0x06', MOVE, OTHER, FRIEND, 30n), sweep(OTHER, FRIEND)],
    ],
    ['a transfer of all', [v2In(ITSELF, 7n, [TOKEN, OTHER]), step('0x05', MOVE, OTHER, FRIEND, ALL)]],
    [
      'a transfer of exactly that',
      [step('0x02', 'address, address, uint160', TOKEN, ITSELF, 7n), step('0x05', MOVE, TOKEN, FRIEND, 7n)],
    ],
  ])('is nothing after %s, and who gets it is told', (_, steps) => {
    const contents = read(steps);
    expect(contents.routerBalances).toEqual([]);
    expect(new Set(contents.parties)).toEqual(new Set([FRIEND]));
  });

  test('coins that were swept away do not', () => {
    expect(read([v2In(CALLER, 7n, [TOKEN, OTHER]), sweep(NATIVE, FRIEND)], 9n)).toMatchObject({
      ...{ parties: [FRIEND], tokens: [TOKEN, OTHER], routerBalances: [] },
    });
  });
});

describe('permits and transfers of Permit2', () => {
  const details = { token: TOKEN, amount: 7n, expiration: 9, nonce: 1 };
  const PERMIT = '(address token, uint160 amount, uint48 expiration, uint48 nonce)';

  test('tell token, spender and amount', () => {
    const permit = { details, spender: UNIVERSAL, sigDeadline: 9n };
    const one = step('0x0a', `(${PERMIT} details, address spender, uint256 sigDeadline), bytes`, permit, '0x1234');
    const many = step(
      '0x03',
      `(${PERMIT}[] details, address spender, uint256 sigDeadline), bytes`,
      { ...permit, details: [details] },
      '0x1234',
    );
    for (const permitting of [one, many])
      expect(read([permitting]).approvals).toEqual([{ token: TOKEN, spender: UNIVERSAL, amount: 7n }]);
  });

  test('tell what is taken and who gets it', () => {
    const batch = step('0x0d', '(address from, address to, uint160 amount, address token)[]', [
      { from: WALLET, to: FRIEND, amount: 7n, token: TOKEN },
    ]);
    for (const moving of [batch, step('0x02', 'address, address, uint160', TOKEN, FRIEND, 7n)])
      expect(read([moving])).toMatchObject({
        parties: [FRIEND],
        spends: [{ token: TOKEN, amount: 7n }],
        routerBalances: [],
      });
  });
});

describe('a call is opaque', () => {
  const good = v2In(CALLER, 7n, [TOKEN, OTHER]);
  test.each<readonly [string, readonly Step[]]>([
    ['with a command nobody knows', [good, ['0x10', '0x']]],
    ['with a plan inside', [good, ['0x21', '0x']]],
    ['with a step that may fail', [['0x88', good[1]]]],
    ['with data cut short', [['0x08', good[1].slice(0, -64) as Hex]]],
    ['with a path without tokens', [v2In(CALLER, 7n, [])]],
    ['that takes as much from the caller as the router holds', [v3In(CALLER, ALL, [TOKEN, OTHER])]],
  ])('%s', (_, steps) => {
    expect(read(steps, 9n)).toMatchObject({ isOpaque: true, routerBalances: [] });
  });

  test('with more or fewer inputs than commands', () => {
    const abi = parseAbi(['function execute(bytes commands, bytes[] inputs)']);
    for (const args of [
      ['0x0808', [good[1]]],
      ['0x08', [good[1], good[1]]],
    ] as const)
      expect(readCall({ to: UNIVERSAL, data: encodeFunctionData({ abi, args }) }).isOpaque).toBe(true);
  });
});
