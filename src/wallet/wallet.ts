// The wallet: what its owner may ask on each chain, and the watch that brings every transaction to its end.

import { foregroundTimers } from '../timing/timers.ts';
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
import { dayOf, type Entry, type EntryDetails, type EntryFilter, type Ledger } from './ledger.ts';
import { NonceQueue } from './nonce-queue.ts';
import type { Intent, PolicyRules } from './policy.ts';
import type { QueueParts } from './queue-parts.ts';
import { WalletRefusal } from './refusal.ts';
import type { ApproveRequest, Asked, Balances, RawRequest, TransferRequest, WalletStatus } from './requests.ts';
import { boundedQuote, swap } from './swap.ts';
import type { BoundedQuote, SwapAsk, SwapRequest } from './swap-request.ts';
import { createTurns } from './turns.ts';
import { type ConfiguredChains, VerifiedChains } from './verified-chains.ts';
import { createWatch, type Watch } from './watch.ts';

/** After so many blocks nobody has seen a reorganisation undo one, outside of an accident of the chain itself. */
export const CONFIRMATIONS: Readonly<Record<ChainName, number>> = { ethereum: 12, arbitrum: 20, polygon: 128 };

export interface WalletOptions
  extends Pick<QueueParts, 'killSwitch' | 'nowMs' | 'newId' | 'stuckAfterMs' | 'onTrouble'> {
  readonly chains: ConfiguredChains;
  readonly signer: Signer | undefined;
  readonly ledger: Ledger;
  readonly rules: PolicyRules;
  readonly confirmations?: Readonly<Record<ChainName, number>>;
  /** How long between two looks at the chains. */
  readonly pollMs: number;
}

export type TransactionPage = Omit<EntryFilter, 'chain'>;

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
  transactions(chain: ChainName, page: TransactionPage): Promise<readonly Entry[]>;
  confirmations(chain: ChainName): number;
  /** Verifies the endpoints, then watches. Rejects when one of them is of another chain. */
  start(): Promise<void>;
  /** One look at the transactions of every chain that are not final, as the watch takes it. */
  look(): Promise<void>;
  /** Resolves when nothing of ours is under way any more. */
  stop(): Promise<void>;
}

const NO_SIGNER =
  'no signing key is configured; set WALLET_PRIVATE_KEY, or WALLET_KEYSTORE and WALLET_PASSWORD (signalbox wallet import)';

export const createWallet = (options: WalletOptions): Wallet => new EvmWallet(options);

/** One transaction that is asked for, before its call is made for the chain it goes to. */
interface Write extends Pick<Intent, 'operation' | 'details'> {
  readonly callOn: (chain: Chain) => Call;
  /** Where the call is for a token, the address that must be one. */
  readonly token?: TokenRef;
}

class EvmWallet implements Wallet {
  readonly #options: WalletOptions;
  readonly #confirmations: Readonly<Record<ChainName, number>>;
  readonly #chains: VerifiedChains;
  readonly #turns = createTurns();
  /** One for each chain; none while there is no key to sign with. */
  readonly #queues = new Map<ChainName, NonceQueue>();
  readonly #watch: Watch;
  #isStopped = false;

  constructor(options: WalletOptions) {
    const { chains, signer, pollMs, onTrouble, confirmations = CONFIRMATIONS } = options;
    this.#options = options;
    this.#confirmations = confirmations;
    this.#chains = new VerifiedChains(chains);
    for (const chain of this.#chains.all) {
      if (signer === undefined) continue;
      const parts = { ...options, chain, signer, confirmations: confirmations[chain.name] };
      this.#queues.set(chain.name, new NonceQueue(parts, this.#turns));
    }
    const open = (name: ChainName): Promise<Chain> => this.#chains.open(name);
    this.#watch = createWatch({ queues: this.#queues, open, pollMs, onTrouble });
  }

  async status(name: ChainName): Promise<WalletStatus> {
    const { signer, ledger, rules, nowMs } = this.#options;
    const chain = await this.#chains.open(name);
    const about = { chainId: chain.chainId, rules, confirmations: this.#confirmations[name] };
    if (signer === undefined) return { ...about, address: undefined, nonces: undefined, live: 0, spentTodayWei: 0n };
    const { address } = signer;
    return {
      ...about,
      address,
      nonces: { latest: await chain.nonce(address, 'latest'), pending: await chain.nonce(address, 'pending') },
      live: (await ledger.live(name, address)).length,
      spentTodayWei: await ledger.spentWei(name, address, dayOf(nowMs())),
    };
  }

  async balances(name: ChainName, named: Address | undefined, addresses: readonly Address[]): Promise<Balances> {
    const owner = named ?? this.#options.signer?.address;
    if (owner === undefined)
      throw new WalletRefusal(
        'invalid',
        'address: is missing, name the account to look at, since no signing key is configured',
      );
    const chain = await this.#chains.open(name);
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
  }

  async quote(name: ChainName, ask: SwapAsk): Promise<BoundedQuote> {
    return boundedQuote(await this.#chains.open(name), ask);
  }

  assertCanSign(): void {
    if (this.#options.signer === undefined) throw new WalletRefusal('no-signer', NO_SIGNER);
  }

  async raw(request: RawRequest): Promise<Entry> {
    const { operation, call } = request;
    return this.#write(request, { operation, details: rawDetails(call), callOn: () => call });
  }

  async approve({ token, spender, amount, ...asked }: ApproveRequest): Promise<Entry> {
    const details = { token, spender, amount: String(amount) };
    const callOn = (chain: Chain): Call => chain.approveCall(token, spender, amount);
    return this.#write(asked, { operation: 'approve', details, token, callOn });
  }

  async transfer({ token, to, amount, ...asked }: TransferRequest): Promise<Entry> {
    const details = { token, recipient: to, amount: String(amount) };
    const callOn = (chain: Chain): Call => chain.transferCall(token, to, amount);
    return this.#write(asked, { operation: 'transfer', details, token, callOn });
  }

  async swap(name: ChainName, request: SwapRequest): Promise<Entry> {
    const { rules, nowMs, onTrouble } = this.#options;
    const queue = this.#queueOf(name);
    const chain = await this.#chains.open(name);
    const pause = (): Promise<void> => this.#pause();
    const { maxPriceImpactBps } = rules;
    return swap({ chain, queue, turns: this.#turns, nowMs, pause, onTrouble, maxPriceImpactBps }, request);
  }

  async transaction(name: ChainName, hash: Hex): Promise<Entry> {
    const entry = await this.#options.ledger.byHash(name, hash);
    if (entry !== undefined) return entry;
    throw new WalletRefusal('not-found', `this wallet sent no such transaction on ${name}`);
  }

  transactions(chain: ChainName, page: TransactionPage): Promise<readonly Entry[]> {
    return this.#options.ledger.list({ chain, ...page });
  }

  confirmations(name: ChainName): number {
    return this.#confirmations[name];
  }

  async start(): Promise<void> {
    for (const chain of this.#chains.all)
      await this.#chains.verify(chain).catch((error: unknown) => {
        if (!(error instanceof ChainUnreachable)) throw error;
        this.#options.onTrouble(`${chain.name} cannot be reached yet; it is checked before its first use`, error);
      });
    for (const chain of this.#chains.all) await this.#tellLeftovers(chain.name);
    await this.#watch.look();
    this.#watch.start();
  }

  look(): Promise<void> {
    return this.#watch.look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watch.stop();
    await this.#turns.idle();
  }

  #queueOf(name: ChainName): NonceQueue {
    this.assertCanSign();
    // With a key to sign with every configured chain has one.
    return this.#queues.get(this.#chains.configured(name).name) as NonceQueue;
  }

  async #write({ chain: name, requestId, idempotencyKey, gasLimit }: Asked, wanted: Write): Promise<Entry> {
    const { callOn, token, ...intent } = wanted;
    const queue = this.#queueOf(name);
    const claim = idempotencyKey === undefined ? {} : { idempotencyKey };
    const submission = { ...intent, ...claim, call: callOn(this.#chains.configured(name)) };
    // The rules come before any question to the chain, so that a kill switch that is on answers at once.
    await queue.check(submission);
    const chain = await this.#chains.open(name);
    // A call to an address without a contract does nothing and does not fail: it would look like a payment.
    if (token !== undefined && token !== 'native') await chain.token(token);
    return queue.submit({ ...submission, requestId, ...(gasLimit === undefined ? {} : { gasLimit }) });
  }

  /** After a change of the key: only the old key can bring to an end what it left open. */
  async #tellLeftovers(name: ChainName): Promise<void> {
    const { signer, ledger, onTrouble } = this.#options;
    const others = (await ledger.liveSenders(name)).filter((sender) => sender !== signer?.address);
    for (const sender of others)
      onTrouble(
        `${name} has transactions of ${sender} that are not final`,
        new Error('start with its key to follow them'),
      );
  }

  /** Between two looks for the block of an approval. */
  async #pause(): Promise<void> {
    if (this.#isStopped) throw new WalletRefusal('busy', 'Signalbox is stopping; ask again when it is back');
    await wait(Math.min(this.#options.pollMs, 1000), { timers: foregroundTimers });
  }
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
