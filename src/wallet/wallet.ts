// The wallet: what its owner may ask on each chain, and the watch that brings every transaction to its end.

import { errorText } from '../errors/error-text.ts';
import { wait } from '../timing/wait.ts';
import { readCall } from './call-contents.ts';
import {
  type Address,
  type Call,
  type Chain,
  type ChainName,
  ChainUnreachable,
  type Hex,
  type Signer,
  type TokenRef,
} from './chain.ts';
import { createLane, type Lane } from './lane.ts';
import type { LaneParts } from './lane-parts.ts';
import { dayOf, type Entry, type EntryDetails, type Ledger } from './ledger.ts';
import type { Intent, PolicyRules } from './policy.ts';
import { WalletRefusal } from './refusal.ts';
import type { ApproveRequest, Asked, Balances, RawRequest, TransferRequest, WalletStatus } from './requests.ts';
import { boundedQuote, swap } from './swap.ts';
import type { BoundedQuote, SwapAsk, SwapRequest } from './swap-request.ts';
import { createTurns } from './turns.ts';
import { createWatch } from './watch.ts';

/** After so many blocks nobody has seen a reorganisation undo one, outside of an accident of the chain itself. */
export const CONFIRMATIONS: Readonly<Record<ChainName, number>> = { ethereum: 12, arbitrum: 20, polygon: 128 };

export interface WalletOptions
  extends Pick<LaneParts, 'killSwitch' | 'nowMs' | 'newId' | 'stuckAfterMs' | 'onTrouble'> {
  readonly chains: Partial<Readonly<Record<ChainName, Chain>>>;
  readonly signer: Signer | undefined;
  readonly ledger: Ledger;
  readonly rules: PolicyRules;
  readonly confirmations?: Readonly<Record<ChainName, number>>;
  /** How long between two looks at the chains. */
  readonly pollMs: number;
}

export interface Wallet {
  status(chain: ChainName): Promise<WalletStatus>;
  /** Of the wallet's own account when no owner is named. */
  balances(chain: ChainName, owner: Address | undefined, tokens: readonly Address[]): Promise<Balances>;
  quote(chain: ChainName, ask: SwapAsk): Promise<BoundedQuote>;
  /** Refuses where there is no key to sign with. */
  assertCanSign(): void;
  raw(request: RawRequest): Promise<Entry>;
  approve(request: ApproveRequest): Promise<Entry>;
  transfer(request: TransferRequest): Promise<Entry>;
  swap(chain: ChainName, request: SwapRequest): Promise<Entry>;
  transaction(chain: ChainName, hash: Hex): Promise<Entry>;
  transactions(
    chain: ChainName,
    page: { readonly limit: number; readonly belowSeq?: number },
  ): Promise<readonly Entry[]>;
  confirmations(chain: ChainName): number;
  /** Verifies the endpoints, then watches. Rejects when one of them is of another chain. */
  start(): Promise<void>;
  /** One look at every lane, as the watch takes it. */
  look(): Promise<void>;
  /** Resolves when nothing of ours is under way any more. */
  stop(): Promise<void>;
}

const NO_SIGNER =
  'no signing key is configured; set WALLET_PRIVATE_KEY, or WALLET_KEYSTORE and WALLET_PASSWORD (signalbox wallet import)';

export function createWallet(options: WalletOptions): Wallet {
  const { chains, signer, ledger, rules, nowMs, pollMs, onTrouble } = options;
  const confirmations = options.confirmations ?? CONFIRMATIONS;
  const turns = createTurns();
  const lanes = new Map<ChainName, Lane>();
  const verified = new Map<ChainName, Promise<void>>();
  let stopped = false;

  for (const chain of Object.values(chains))
    if (signer !== undefined)
      lanes.set(chain.name, createLane({ ...options, chain, signer, confirmations: confirmations[chain.name] }, turns));

  /** Asked once; those who come meanwhile wait for the same answer, and so keep their order. */
  function verify(chain: Chain): Promise<void> {
    const known = verified.get(chain.name);
    if (known !== undefined) return known;
    const asked = chain.verify();
    verified.set(chain.name, asked);
    asked.catch(() => verified.delete(chain.name));
    return asked;
  }

  /** The chain, proved to be the one it is called; an endpoint that was down at the start is asked now. */
  async function open(name: ChainName): Promise<Chain> {
    const chain = chains[name];
    if (chain === undefined)
      throw new WalletRefusal('no-chain', `${name} has no RPC endpoint; set RPC_${name.toUpperCase()} and restart`);
    await verify(chain).catch((error: unknown) => {
      if (error instanceof ChainUnreachable) throw error;
      // The endpoint is of another chain: its message names it.
      throw new WalletRefusal('no-chain', errorText(error), { cause: error });
    });
    return chain;
  }

  function assertCanSign(): void {
    if (signer === undefined) throw new WalletRefusal('no-signer', NO_SIGNER);
  }

  function laneOf(name: ChainName): Lane {
    assertCanSign();
    const lane = lanes.get(name);
    if (lane !== undefined) return lane;
    throw new WalletRefusal('no-chain', `${name} has no RPC endpoint; set RPC_${name.toUpperCase()} and restart`);
  }

  async function write(
    { chain: name, requestId, idempotencyKey, gasLimit }: Asked,
    {
      callOn,
      token,
      ...intent
    }: Pick<Intent, 'operation' | 'details'> & {
      readonly callOn: (chain: Chain) => Call;
      /** Must be one. */
      readonly token?: TokenRef;
    },
  ): Promise<Entry> {
    const lane = laneOf(name);
    const claim = idempotencyKey === undefined ? {} : { idempotencyKey };
    const order = { ...intent, ...claim, call: callOn(chains[name] as Chain) };
    // Rules come before any question to the chain, so that a switch that is thrown answers at once.
    await lane.check(order);
    const chain = await open(name);
    // A call to an address without a contract does nothing and does not fail: it would look like a payment.
    if (token !== undefined && token !== 'native') await chain.token(token);
    return lane.submit({ ...order, requestId, ...(gasLimit === undefined ? {} : { gasLimit }) });
  }

  const watch = createWatch({ lanes, open, pollMs, onTrouble });

  /** After a change of the key: what the old one left open can only be brought to its end with the old one. */
  async function tellLeftovers(name: ChainName): Promise<void> {
    const strangers = (await ledger.liveSenders(name)).filter((sender) => sender !== signer?.address);
    for (const sender of strangers)
      onTrouble(
        `${name} has transactions of ${sender} that are not final`,
        new Error('start with its key to follow them'),
      );
  }

  const pause = async (): Promise<void> => {
    if (stopped) throw new WalletRefusal('busy', 'Signalbox is stopping; ask again when it is back');
    await wait(Math.min(pollMs, 1000));
  };

  return {
    async status(name) {
      const chain = await open(name);
      const address = signer?.address;
      const nonces = address && {
        latest: await chain.nonce(address, 'latest'),
        pending: await chain.nonce(address, 'pending'),
      };
      return {
        ...{ chainId: chain.chainId, address, nonces, rules, confirmations: confirmations[name] },
        live: address === undefined ? 0 : (await ledger.live(name, address)).length,
        spentTodayWei: address === undefined ? 0n : await ledger.spentWei(name, address, dayOf(nowMs())),
      };
    },
    async balances(name, named, addresses) {
      const owner = named ?? signer?.address;
      if (owner === undefined)
        throw new WalletRefusal(
          'invalid',
          'address: is missing, name the account to look at, since no signing key is configured',
        );
      const chain = await open(name);
      const [nativeWei, amounts, tokens] = await Promise.all([
        chain.nativeBalance(owner),
        chain.tokenBalances(addresses, owner),
        Promise.all(addresses.map((address) => chain.token(address))),
      ]);
      return {
        owner,
        nativeWei,
        tokens: tokens.map((token, index) => ({ ...token, amount: amounts[index] as bigint })),
      };
    },
    quote: async (name, ask) => boundedQuote(await open(name), ask),
    assertCanSign,
    async raw(request) {
      const { operation, call } = request;
      return write(request, { operation, details: rawDetails(call), callOn: () => call });
    },
    async approve({ token, spender, amount, ...asked }) {
      const details = { token, spender, amount: String(amount) };
      const callOn = (chain: Chain) => chain.approveCall(token, spender, amount);
      return write(asked, { operation: 'approve', details, token, callOn });
    },
    async transfer({ token, to, amount, ...asked }) {
      const details = { token, recipient: to, amount: String(amount) };
      const callOn = (chain: Chain) => chain.transferCall(token, to, amount);
      return write(asked, { operation: 'transfer', details, token, callOn });
    },
    async swap(name, request) {
      const lane = laneOf(name);
      const chain = await open(name);
      const { maxPriceImpactBps } = rules;
      return swap({ chain, lane, turns, nowMs, pause, onTrouble, maxPriceImpactBps }, request);
    },
    async transaction(name, hash) {
      const entry = await ledger.byHash(name, hash);
      if (entry !== undefined) return entry;
      throw new WalletRefusal('not-found', `this wallet sent no such transaction on ${name}`);
    },
    transactions: (chain, page) => ledger.list({ chain, ...page }),
    confirmations: (name) => confirmations[name],
    async start() {
      for (const chain of Object.values(chains))
        await verify(chain).catch((error: unknown) => {
          if (!(error instanceof ChainUnreachable)) throw error;
          onTrouble(`${chain.name} cannot be reached yet; it is checked before its first use`, error);
        });
      for (const chain of Object.values(chains)) await tellLeftovers(chain.name);
      await watch.look();
      watch.start();
    },
    look: watch.look,
    async stop() {
      stopped = true;
      watch.stop();
      await turns.idle();
    },
  };
}

/** A raw call of a token or a router is told in the same words as one we made ourselves. */
function rawDetails(call: Call): EntryDetails {
  const { approvals, spends, parties } = readCall(call);
  const [approval] = approvals;
  if (approval !== undefined)
    return { token: approval.token, spender: approval.spender, amount: String(approval.amount) };
  const [spend] = spends;
  if (spend === undefined) return {};
  const [recipient] = parties;
  return { token: spend.token, amount: String(spend.amount), ...(recipient === undefined ? {} : { recipient }) };
}
