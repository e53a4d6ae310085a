// Uniswap's Universal Router: execute(commands, inputs) is a list of steps in a language of its own, one byte for each.
//
// A recipient of 1 means the caller and 2 the router itself. What is paid comes from the caller, through Permit2, or from
// what the router holds by then. So its balances are followed step by step, and whatever is there at the end, or may be,
// stays: anybody may take it. A step that is not known, or that may fail while the others go on, hides what happens.

import { type AbiFunction, type AbiValue, abiFunction } from './abi.ts';
import {
  addressOf,
  amountOf,
  type CallContents,
  listOf,
  OPAQUE,
  permitted,
  type Read,
  type RouterBalance,
  together,
  WRAPPED_COINS,
} from './call-contents-parts.ts';
import { packedPath } from './call-contents-routers.ts';
import type { Address, Hex } from './chain.ts';

/** Of the three chains, versions 1.2 and 2. */
export const UNIVERSAL_ROUTERS: readonly Address[] = [
  '0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD',
  '0x5E325eDA8064b456f4781070C0738d849c824258',
  '0xec7BE89e9d109e7e3Fec59c222CF297125FEFda2',
  '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af',
  '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3',
  '0x1095692A6237d83C6a72F3F5eFEdb9A670C49223',
];

/** As an amount: all the router holds. */
const ALL_OF_IT = 2n ** 255n;
const NATIVE: Address = '0x0000000000000000000000000000000000000000';
const CALLER: Address = '0x0000000000000000000000000000000000000001';
const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';

type Held = RouterBalance['token'];

/** What the router holds of each token; undefined is an amount that nobody can know beforehand. */
class Holdings {
  readonly #held = new Map<Held, bigint | undefined>();
  readonly #router: Address;

  constructor(router: Address, valueWei: bigint) {
    this.#router = router;
    this.#held.set('native', valueWei);
  }

  add(token: Held, amount: bigint | undefined): void {
    const before = this.#held.get(token) ?? 0n;
    const isKnown = amount !== undefined && !(this.#held.has(token) && this.#held.get(token) === undefined);
    this.#held.set(token, isKnown ? before + amount : undefined);
  }

  /** All of it for ALL_OF_IT, and for exactly what is there. */
  take(token: Held, amount: bigint): void {
    const before = this.#held.get(token);
    if (amount === ALL_OF_IT) this.#held.set(token, 0n);
    else if (before !== undefined) this.#held.set(token, before > amount ? before - amount : 0n);
  }

  /** Somebody receives, the caller does, or it stays here. */
  receive(recipient: AbiValue | undefined, token: Held, amount?: bigint): Partial<CallContents> {
    const address = addressOf(recipient);
    if (address === CALLER) return {};
    if (address !== ROUTER_ITSELF && address !== this.#router) return { parties: [address] };
    this.add(token, amount);
    return {};
  }

  left(): readonly RouterBalance[] {
    return [...this.#held].filter(([, amount]) => amount !== 0n).map(([token]) => ({ token, stays: true }));
  }
}

const heldAs = (token: Address): Held => (Object.values(WRAPPED_COINS).includes(token) ? 'wrapped' : token);
const tokenOf = (value: AbiValue | undefined): { held: Held; tokens: readonly Address[] } => {
  const token = addressOf(value);
  if (token === NATIVE) return { held: 'native', tokens: [] };
  return { held: heldAs(token), tokens: [token] };
};

type Step = (args: readonly AbiValue[], holdings: Holdings) => Partial<CallContents>;
type Way = (path: AbiValue | undefined) => readonly Address[];

/** `most`: the place of the amount that is paid at most. */
const swap =
  (wayOf: Way, most: number, isExactIn: boolean): Step =>
  (args, holdings) => {
    const [recipient, , , path, payerIsCaller] = args;
    const tokens = wayOf(path);
    const [first, last] = [tokens[0], tokens.at(-1)];
    if (first === undefined || last === undefined) return OPAQUE;
    const amount = amountOf(args[most]);
    if (payerIsCaller !== 0n && amount === ALL_OF_IT) return OPAQUE;
    // Of an exact amount out nobody knows what is left of the payment: all of it may be.
    if (payerIsCaller === 0n && isExactIn) holdings.take(heldAs(first), amount);
    const spends = payerIsCaller === 0n ? [] : [{ token: first, amount }];
    return { tokens, spends, ...holdings.receive(recipient, heldAs(last)) };
  };
const v2Way: Way = (path) => listOf(path).map(addressOf);
const v3Way: Way = (path) => packedPath(path as Hex);
const v3WayBack: Way = (path) => packedPath(path as Hex).toReversed();

const pulled = (token: AbiValue | undefined, recipient: AbiValue | undefined, amount: bigint, holdings: Holdings) => ({
  tokens: [addressOf(token)],
  spends: [{ token: addressOf(token), amount }],
  ...holdings.receive(recipient, heldAs(addressOf(token)), amount),
});

/** Hands out so much of a token that the router holds. */
const handOut = (token: AbiValue | undefined, recipient: AbiValue | undefined, amount: bigint, holdings: Holdings) => {
  const { held, tokens } = tokenOf(token);
  holdings.take(held, amount);
  return { tokens, ...holdings.receive(recipient, held, amount === ALL_OF_IT ? undefined : amount) };
};

const permitSingle: Step = ([permit]) => permitted(listOf(permit)[0], listOf(permit)[1]);
const permitBatch: Step = ([permit]) =>
  together(listOf(listOf(permit)[0]).map((details) => permitted(details, listOf(permit)[1])));

const PERMIT = '(address,uint160,uint48,uint48)';
const STEPS: Readonly<Record<number, readonly [types: string, step: Step]>> = {
  0: ['(address,uint256,uint256,bytes,bool)', swap(v3Way, 1, true)],
  1: ['(address,uint256,uint256,bytes,bool)', swap(v3WayBack, 2, false)],
  2: ['(address,address,uint160)', ([token, to, amount], held) => pulled(token, to, amountOf(amount), held)],
  3: [`((${PERMIT}[],address,uint256),bytes)`, permitBatch],
  4: ['(address,address,uint256)', ([token, to], held) => handOut(token, to, ALL_OF_IT, held)],
  5: ['(address,address,uint256)', ([token, to, amount], held) => handOut(token, to, amountOf(amount), held)],
  // A part of what is there, in hundredths of a percent: the rest stays
  6: ['(address,address,uint256)', ([token, to], held) => handOut(token, to, 0n, held)],
  8: ['(address,uint256,uint256,address[],bool)', swap(v2Way, 1, true)],
  9: ['(address,uint256,uint256,address[],bool)', swap(v2Way, 2, false)],
  10: [`((${PERMIT},address,uint256),bytes)`, permitSingle],
  11: [
    '(address,uint256)',
    ([to, amount], held) => {
      held.take('native', amountOf(amount));
      return held.receive(to, 'wrapped', amount === ALL_OF_IT ? undefined : amountOf(amount));
    },
  ],
  12: [
    '(address,uint256)',
    ([to], held) => {
      held.take('wrapped', ALL_OF_IT);
      return held.receive(to, 'native');
    },
  ],
  13: [
    '((address,address,uint160,address)[])',
    ([batch], held) =>
      together(listOf(batch).map((one) => pulled(listOf(one)[3], listOf(one)[1], amountOf(listOf(one)[2]), held))),
  ],
  // Compares a balance, and moves nothing
  14: ['(address,address,uint256)', () => ({})],
};
const DECODERS: Readonly<Record<number, AbiFunction>> = Object.fromEntries(
  Object.entries(STEPS).map(([command, [types]]) => [command, abiFunction(types)]),
);
/** Inputs have no selector in front, as calls have. */
const NO_SELECTOR = '0x00000000';

const execute: Read = ([commands, inputs], router, valueWei) => {
  const bytes = Buffer.from((commands as Hex).slice(2), 'hex');
  const given = listOf(inputs);
  if (given.length !== bytes.length) return OPAQUE;
  const holdings = new Holdings(router, valueWei);
  const steps = [...bytes].map((command, index): Partial<CallContents> => {
    // A step that may fail has its highest bit set, and so a number that is not known here.
    const [, step] = STEPS[command] ?? [];
    const decoder = DECODERS[command];
    if (step === undefined || decoder === undefined) return OPAQUE;
    return step(decoder.decode(`${NO_SELECTOR}${(given[index] as Hex).slice(2)}`), holdings);
  });
  // Where one step is hidden, nobody knows what the router holds after it.
  if (steps.some(({ isOpaque }) => isOpaque)) return OPAQUE;
  return together([...steps, { routerBalances: holdings.left() }]);
};

export const UNIVERSAL_READERS: Readonly<Record<string, Read>> = {
  'execute(bytes,bytes[])': execute,
  'execute(bytes,bytes[],uint256)': execute,
};
