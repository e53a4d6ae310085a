// POST /wallet/{status,balance,quote,approve,transfer,swap,send,transactions}: the wallet as its owner asks it.

import { StorageError, withoutFolders } from '../../errors/storage-error.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { GuessLimit } from '../../http/guess-limit.ts';
import { readValid } from '../../http/read-body.ts';
import { ChainUnreachable, NotAToken } from '../../wallet/chain.ts';
import { type RefusalKind, WalletRefusal } from '../../wallet/refusal.ts';
import type { Wallet } from '../../wallet/wallet.ts';
import type { GatewayErrorCode } from './errors.ts';
import { WALLET_DOCS, type WalletDoc } from './wallet-docs.ts';
import { WALLET_TOKEN_HEADER, walletDoor } from './wallet-door.ts';
import { type WalletOperation, WalletOperations } from './wallet-operations.ts';
import { tradeResultOf } from './wallet-views.ts';

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

export function walletEndpoints({ wallet, token, guesses, onFault }: WalletDeps): readonly Endpoint[] {
  const checkToken = walletDoor(token, guesses);
  const operations = new WalletOperations(wallet);
  const endpoint = <T>(doc: WalletDoc<T>, work: WalletOperation<T>): Endpoint => ({
    ...doc,
    async handler(c) {
      if (doc.isWrite) await checkToken(c.req.header(WALLET_TOKEN_HEADER), c.var.clientAddress);
      const body = await readValid(c, doc.body, { code: 'INVALID_PAYLOAD' });
      const { requestId } = c.var;
      const { entry, result } = await work(body, requestId, c.req.raw.signal).catch((error: unknown) => {
        throw refusalOf(error, operations, (fault) => onFault(fault, requestId));
      });
      const tradeResult = entry === undefined ? null : tradeResultOf(entry);
      return c.json({ success: true, requestId, tradeResult, notificationResult: null, result });
    },
  });
  return [
    endpoint(WALLET_DOCS.status, (body) => operations.status(body)),
    endpoint(WALLET_DOCS.balance, (body) => operations.balance(body)),
    endpoint(WALLET_DOCS.quote, (body) => operations.quote(body)),
    endpoint(WALLET_DOCS.swap, (body, requestId, signal) => operations.swap(body, requestId, signal)),
    endpoint(WALLET_DOCS.approve, (body, requestId) => operations.approve(body, requestId)),
    endpoint(WALLET_DOCS.transfer, (body, requestId) => operations.transfer(body, requestId)),
    endpoint(WALLET_DOCS.send, (body, requestId) => operations.send(body, requestId)),
    endpoint(WALLET_DOCS.transactions, (body) => operations.transactions(body)),
  ];
}

function refusalOf(error: unknown, operations: WalletOperations, onFault: (error: unknown) => void): unknown {
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
    ...(entry === undefined ? {} : { tradeResult: tradeResultOf(entry), result: operations.view(entry).result }),
  };
  const code = kind === 'fault' && cause instanceof StorageError ? 'STORAGE_FAILED' : CODES[kind];
  const words = code === 'STORAGE_FAILED' ? `the wallet's ledger failed: ${message}` : message;
  return new Refusal(code, words, {
    extra,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
  });
}
