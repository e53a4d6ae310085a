// What each wallet endpoint does with its checked body: the call to the wallet, and the view of what came of it.

import { readCall } from '../../wallet/call-contents.ts';
import type { Address, ChainName, Hex } from '../../wallet/chain.ts';
import type { Entry, Operation } from '../../wallet/ledger.ts';
import { WalletRefusal } from '../../wallet/refusal.ts';
import { DEFAULT_DEADLINE_S, DEFAULT_SLIPPAGE_BPS } from '../../wallet/swap-request.ts';
import type { Wallet } from '../../wallet/wallet.ts';
import type { WALLET_DOCS, WalletDoc } from './wallet-docs.ts';
import { balanceView, quoteView, statusView, transactionView } from './wallet-views.ts';

const DEFAULT_LIMIT = 20;

export interface Answered {
  /** The transaction, where there is one. */
  readonly entry?: Entry;
  readonly result: unknown;
}

export type WalletOperation<Body> = (body: Body, requestId: string, signal: AbortSignal) => Promise<Answered>;

type BodyOf<Name extends keyof typeof WALLET_DOCS> =
  (typeof WALLET_DOCS)[Name] extends WalletDoc<infer Body> ? Body : never;

/** What every write carries besides its own fields. */
interface WriteBody {
  readonly chain: ChainName;
  readonly gasLimit?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly to?: Address | undefined;
  readonly value?: bigint | undefined;
  readonly data?: Hex | undefined;
}

/** A write comes in one of two forms: with tokens and amounts, or raw, as the call that is to be signed. */
export class WalletOperations {
  readonly #wallet: Wallet;

  constructor(wallet: Wallet) {
    this.#wallet = wallet;
  }

  view(entry: Entry): Answered {
    return { entry, result: transactionView(entry, this.#wallet.confirmations(entry.chain)) };
  }

  async status({ chain }: BodyOf<'status'>): Promise<Answered> {
    return { result: statusView(chain, await this.#wallet.status(chain)) };
  }

  async balance({ chain, address, to, token, tokens = [] }: BodyOf<'balance'>): Promise<Answered> {
    const asked = [...(token === undefined ? [] : [token]), ...tokens].filter((one) => one !== 'native');
    const balances = await this.#wallet.balances(chain, address ?? to, [...new Set(asked)]);
    return { result: balanceView(chain, balances) };
  }

  async quote({
    chain,
    tokenIn,
    tokenOut,
    amountIn,
    slippageBps = DEFAULT_SLIPPAGE_BPS,
  }: BodyOf<'quote'>): Promise<Answered> {
    const quote = await this.#wallet.quote(chain, { tokenIn, tokenOut, amountIn, slippageBps });
    return { result: quoteView(chain, slippageBps, quote) };
  }

  async swap(body: BodyOf<'swap'>, requestId: string, signal: AbortSignal): Promise<Answered> {
    const { tokenIn, tokenOut, amountIn, slippageBps = DEFAULT_SLIPPAGE_BPS, minAmountOut } = body;
    if (tokenIn === undefined || tokenOut === undefined || amountIn === undefined)
      return this.#raw('swap', body, requestId);
    const { chain, ...asked } = askedOf(body, requestId);
    const entry = await this.#wallet.swap(chain, {
      ...{ tokenIn, tokenOut, amountIn, slippageBps, signal, ...asked },
      deadlineS: body.deadlineS ?? DEFAULT_DEADLINE_S,
      ...(minAmountOut === undefined ? {} : { minAmountOut }),
    });
    return this.view(entry);
  }

  async approve(body: BodyOf<'approve'>, requestId: string): Promise<Answered> {
    const { token, spender, amount } = body;
    if (token !== undefined && spender !== undefined && amount !== undefined)
      return this.view(await this.#wallet.approve({ token, spender, amount, ...askedOf(body, requestId) }));
    this.#wallet.assertCanSign();
    if (readCall({ to: body.to as Address, data: body.data ?? '0x' }).approvals.length === 0)
      throw invalid(
        'data: is no approval, encode approve(spender, amount), or use the token form: token, spender, amount',
      );
    return this.#raw('approve', body, requestId);
  }

  async transfer(body: BodyOf<'transfer'>, requestId: string): Promise<Answered> {
    const { token, to, amount } = body;
    if (token !== undefined && to !== undefined && amount !== undefined)
      return this.view(await this.#wallet.transfer({ token, to, amount, ...askedOf(body, requestId) }));
    this.#wallet.assertCanSign();
    if ((body.data ?? '0x') !== '0x')
      throw invalid(
        'data: a transfer carries none, use /wallet/send for encoded calls, or the token form: token, to, amount',
      );
    return this.#raw('transfer', body, requestId);
  }

  send(body: BodyOf<'send'>, requestId: string): Promise<Answered> {
    return this.#raw('send', body, requestId);
  }

  async transactions({ chain, hash, limit = DEFAULT_LIMIT, before }: BodyOf<'transactions'>): Promise<Answered> {
    const wallet = this.#wallet;
    if (hash !== undefined) return this.view(await wallet.transaction(chain, hash));
    const belowSeq = before === undefined ? {} : { belowSeq: (await wallet.transaction(chain, before)).seq };
    const entries = await wallet.transactions(chain, { limit, ...belowSeq });
    return { result: entries.map((entry) => this.view(entry).result) };
  }

  async #raw(operation: Operation, body: WriteBody, requestId: string): Promise<Answered> {
    const call = { to: body.to as Address, valueWei: body.value ?? 0n, data: body.data ?? '0x' };
    return this.view(await this.#wallet.raw({ operation, call, ...askedOf(body, requestId) }));
  }
}

const askedOf = ({ chain, gasLimit, idempotencyKey }: WriteBody, requestId: string) => ({
  chain,
  requestId,
  ...(gasLimit === undefined ? {} : { gasLimit: BigInt(gasLimit) }),
  ...(idempotencyKey === undefined ? {} : { idempotencyKey: idempotencyKey.toLowerCase() }),
});

const invalid = (message: string): WalletRefusal => new WalletRefusal('invalid', message);
