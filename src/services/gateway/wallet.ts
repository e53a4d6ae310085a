// POST /wallet/{status,balance,quote,approve,transfer,swap,send,transactions}: the wallet as its owner asks it.

import { StorageError, withoutFolders } from '../../errors/storage-error.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { GuessLimit } from '../../http/guess-limit.ts';
import { readValid } from '../../http/read-body.ts';
import { readCall } from '../../wallet/call-contents.ts';
import { type Address, type ChainName, ChainUnreachable, type Hex, NotAToken } from '../../wallet/chain.ts';
import type { Entry, Operation } from '../../wallet/ledger.ts';
import { type RefusalKind, WalletRefusal } from '../../wallet/refusal.ts';
import { DEFAULT_DEADLINE_S, DEFAULT_SLIPPAGE_BPS } from '../../wallet/swap-request.ts';
import type { Wallet } from '../../wallet/wallet.ts';
import type { GatewayErrorCode } from './errors.ts';
import { WALLET_DOCS, type WalletDoc } from './wallet-docs.ts';
import { WALLET_TOKEN_HEADER, walletDoor } from './wallet-door.ts';
import { balanceView, quoteView, statusView, tradeResultOf, transactionView } from './wallet-views.ts';

const DEFAULT_LIMIT = 20;

export interface WalletDeps {
  readonly wallet: Wallet;
  /** What writes carry in X-Wallet-Token; undefined where nothing can be signed. */
  readonly token: string | undefined;
  /** Slows those who guess it. */
  readonly guesses: GuessLimit;
  readonly onFault: (error: unknown, requestId: string) => void;
}

const CODES: Readonly<Record<RefusalKind, GatewayErrorCode>> = {
  invalid: 'INVALID_PAYLOAD',
  'no-signer': 'WALLET_NOT_CONFIGURED',
  'no-chain': 'CHAIN_NOT_CONFIGURED',
  killed: 'KILL_SWITCH_ACTIVE',
  policy: 'WALLET_POLICY',
  'would-revert': 'TRANSACTION_WOULD_REVERT',
  refused: 'TRANSACTION_REFUSED',
  'no-swap': 'SWAP_REFUSED',
  'approval-pending': 'APPROVAL_PENDING',
  duplicate: 'DUPLICATE_TRANSACTION',
  busy: 'WALLET_BUSY',
  'not-found': 'TRANSACTION_NOT_FOUND',
  fault: 'INTERNAL',
};
/** About a block: by then there is something new to say. */
const RETRY_AFTER_S: Partial<Readonly<Record<RefusalKind, string>>> = { 'approval-pending': '15', busy: '5' };

interface Answered {
  readonly entry?: Entry;
  readonly result: unknown;
}

/** What every write carries besides its own fields. */
interface WriteBody {
  readonly chain: ChainName;
  readonly gasLimit?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly to?: Address | undefined;
  readonly value?: bigint | undefined;
  readonly data?: Hex | undefined;
}

export function walletEndpoints({ wallet, token, guesses, onFault }: WalletDeps): readonly Endpoint[] {
  const checkToken = walletDoor(token, guesses);
  const view = (entry: Entry): Answered => ({
    entry,
    result: transactionView(entry, wallet.confirmations(entry.chain)),
  });

  const operation = <T>(
    doc: WalletDoc<T>,
    work: (body: T, requestId: string, signal: AbortSignal) => Promise<Answered>,
  ): Endpoint => ({
    ...doc,
    async handler(c) {
      if (doc.isWrite) await checkToken(c.req.header(WALLET_TOKEN_HEADER), c.var.clientAddress);
      const body = await readValid(c, doc.body, { code: 'INVALID_PAYLOAD' });
      const { requestId } = c.var;
      const { entry, result } = await work(body, requestId, c.req.raw.signal).catch((error: unknown) => {
        throw refusalOf(error, view, (fault) => onFault(fault, requestId));
      });
      const tradeResult = entry === undefined ? null : tradeResultOf(entry);
      return c.json({ success: true, requestId, tradeResult, notificationResult: null, result });
    },
  });

  const rawCall = async (operation: Operation, body: WriteBody, requestId: string): Promise<Answered> => {
    const call = { to: body.to as Address, valueWei: body.value ?? 0n, data: body.data ?? '0x' };
    return view(await wallet.raw({ operation, call, ...askedOf(body, requestId) }));
  };

  return [
    operation(WALLET_DOCS.status, async ({ chain }) => ({ result: statusView(chain, await wallet.status(chain)) })),

    operation(WALLET_DOCS.balance, async ({ chain, address, to, token, tokens = [] }) => {
      const asked = [...(token === undefined ? [] : [token]), ...tokens].filter((one) => one !== 'native');
      const balances = await wallet.balances(chain, address ?? to, [...new Set(asked)]);
      return { result: balanceView(chain, balances) };
    }),

    operation(WALLET_DOCS.quote, async ({ chain, tokenIn, tokenOut, amountIn, slippageBps = DEFAULT_SLIPPAGE_BPS }) => {
      const quote = await wallet.quote(chain, { tokenIn, tokenOut, amountIn, slippageBps });
      return { result: quoteView(chain, slippageBps, quote) };
    }),

    operation(WALLET_DOCS.swap, async (body, requestId, signal) => {
      const { tokenIn, tokenOut, amountIn, slippageBps = DEFAULT_SLIPPAGE_BPS, minAmountOut } = body;
      if (tokenIn === undefined || tokenOut === undefined || amountIn === undefined)
        return rawCall('swap', body, requestId);
      const { chain, ...asked } = askedOf(body, requestId);
      const entry = await wallet.swap(chain, {
        ...{ tokenIn, tokenOut, amountIn, slippageBps, signal, ...asked },
        deadlineS: body.deadlineS ?? DEFAULT_DEADLINE_S,
        ...(minAmountOut === undefined ? {} : { minAmountOut }),
      });
      return view(entry);
    }),

    operation(WALLET_DOCS.approve, async (body, requestId) => {
      const { token, spender, amount } = body;
      if (token !== undefined && spender !== undefined && amount !== undefined)
        return view(await wallet.approve({ token, spender, amount, ...askedOf(body, requestId) }));
      wallet.assertCanSign();
      if (readCall({ to: body.to as Address, data: body.data ?? '0x' }).approvals.length === 0)
        throw invalid(
          'data: is no approval, encode approve(spender, amount), or use the token form: token, spender, amount',
        );
      return rawCall('approve', body, requestId);
    }),

    operation(WALLET_DOCS.transfer, async (body, requestId) => {
      const { token, to, amount } = body;
      if (token !== undefined && to !== undefined && amount !== undefined)
        return view(await wallet.transfer({ token, to, amount, ...askedOf(body, requestId) }));
      wallet.assertCanSign();
      if ((body.data ?? '0x') !== '0x')
        throw invalid(
          'data: a transfer carries none, use /wallet/send for encoded calls, or the token form: token, to, amount',
        );
      return rawCall('transfer', body, requestId);
    }),

    operation(WALLET_DOCS.send, (body, requestId) => rawCall('send', body, requestId)),

    operation(WALLET_DOCS.transactions, async ({ chain, hash, limit = DEFAULT_LIMIT, before }) => {
      if (hash !== undefined) return view(await wallet.transaction(chain, hash));
      const belowSeq = before === undefined ? {} : { belowSeq: (await wallet.transaction(chain, before)).seq };
      const entries = await wallet.transactions(chain, { limit, ...belowSeq });
      return { result: entries.map((entry) => view(entry).result) };
    }),
  ];
}

const askedOf = ({ chain, gasLimit, idempotencyKey }: WriteBody, requestId: string) => ({
  chain,
  requestId,
  ...(gasLimit === undefined ? {} : { gasLimit: BigInt(gasLimit) }),
  ...(idempotencyKey === undefined ? {} : { idempotencyKey: idempotencyKey.toLowerCase() }),
});

const invalid = (message: string): WalletRefusal => new WalletRefusal('invalid', message);

function refusalOf(error: unknown, view: (entry: Entry) => Answered, onFault: (error: unknown) => void): unknown {
  if (error instanceof ChainUnreachable)
    return new Refusal(
      'CHAIN_UNREACHABLE',
      `the chain cannot be reached, the transaction was not signed: ${error.message}`,
      {
        cause: error,
      },
    );
  if (error instanceof NotAToken)
    return new Refusal('INVALID_PAYLOAD', error.message, { extra: { faults: [error.message] } });
  if (error instanceof StorageError) {
    onFault(error);
    const message = `the wallet's ledger failed, nothing was sent: ${withoutFolders(error.message)}`;
    return new Refusal('STORAGE_FAILED', message, { cause: error });
  }
  if (!(error instanceof WalletRefusal)) return error;
  const { kind, message, entry, cause } = error;
  if (kind === 'fault') onFault(cause);
  const retryAfter = RETRY_AFTER_S[kind];
  const extra = {
    ...(kind === 'invalid' ? { faults: [message] } : {}),
    ...(kind === 'duplicate' ? { originalRequestId: entry?.requestId } : {}),
    ...(entry === undefined ? {} : { tradeResult: tradeResultOf(entry), result: view(entry).result }),
  };
  const code = kind === 'fault' && cause instanceof StorageError ? 'STORAGE_FAILED' : CODES[kind];
  const words = code === 'STORAGE_FAILED' ? `the wallet's ledger failed: ${message}` : message;
  return new Refusal(code, words, {
    extra,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
  });
}
