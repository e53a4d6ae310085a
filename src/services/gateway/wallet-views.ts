// Wallet records as they are answered: amounts as digits in text, and nothing of keys or signed bytes.

import { type Entry, type EntryState, hashOf } from '../../wallet/ledger.ts';
import type { Balances, WalletStatus } from '../../wallet/requests.ts';
import type { BoundedQuote } from '../../wallet/swap-request.ts';
import type { WALLET_STATUSES } from './wallet-schemas.ts';

const STATUS_OF: Readonly<Record<EntryState, (typeof WALLET_STATUSES)[number]>> = {
  reserved: 'Pending',
  signed: 'Pending',
  sent: 'Pending',
  mined: 'Pending',
  confirmed: 'Confirmed',
  reverted: 'Reverted',
  replaced: 'Replaced',
  dropped: 'Dropped',
};
const WEI_PER_COIN = 1e18;

/** The trade success shape. An acknowledgement moves nothing yet: `executedQty` is the native value once it is confirmed. */
export function tradeResultOf(entry: Entry) {
  const status = STATUS_OF[entry.state];
  return {
    success: status === 'Pending' || status === 'Confirmed',
    orderId: hashOf(entry) ?? '',
    status,
    executedQty: status === 'Confirmed' ? Number(entry.call.valueWei) / WEI_PER_COIN : 0,
    price: 0,
    // Signed and kept, but no node has said yet that it has it.
    queued: entry.state === 'signed',
    mode: 'live' as const,
  };
}

export function transactionView(entry: Entry, confirmationsNeeded: number) {
  const { mined, call, details } = entry;
  const hash = hashOf(entry) ?? null;
  return {
    requestId: entry.requestId,
    chain: entry.chain,
    operation: entry.operation,
    status: STATUS_OF[entry.state],
    state: entry.state,
    hash,
    replacedHashes: entry.attempts.map((attempt) => attempt.hash).filter((known) => known !== hash),
    nonce: entry.nonce,
    from: entry.from,
    to: call.to,
    valueWei: call.valueWei.toString(),
    gasLimit: entry.gasLimit.toString(),
    details,
    amountOut: mined?.amountOut?.toString() ?? null,
    blockNumber: mined === undefined ? null : Number(mined.blockNumber),
    confirmations: mined?.confirmations ?? 0,
    confirmationsNeeded,
    feeWei: mined === undefined ? null : (mined.gasUsed * mined.effectiveGasPrice).toString(),
    error: entry.error ?? null,
    createdAt: entry.atMs,
    updatedAt: entry.updatedAtMs,
  };
}

export const statusView = (chain: string, { address, nonces, rules, ...status }: WalletStatus) => ({
  chain,
  chainId: status.chainId,
  address: address ?? null,
  canSign: address !== undefined,
  nonce: nonces ?? null,
  pendingTransactions: status.live,
  confirmationsNeeded: status.confirmations,
  policy: {
    maxValueWei: rules.maxValueWei?.toString() ?? null,
    dailyLimitWei: rules.dailyLimitWei?.toString() ?? null,
    spentTodayWei: status.spentTodayWei.toString(),
    allowedContracts: [...rules.allowedContracts],
    caps: Object.fromEntries([...rules.caps].map(([key, cap]) => [key, cap.toString()])),
    maxPriceImpactBps: rules.maxPriceImpactBps ?? null,
  },
});

export const balanceView = (chain: string, { owner, nativeWei, tokens }: Balances) => ({
  chain,
  address: owner,
  native: { amount: nativeWei.toString(), decimals: 18 },
  tokens: tokens.map(({ address, symbol, decimals, amount }) => ({
    token: address,
    symbol,
    decimals,
    amount: amount.toString(),
  })),
});

export const quoteView = (chain: string, slippageBps: number, { quote, minAmountOut }: BoundedQuote) => ({
  chain,
  tokenIn: quote.tokenIn,
  tokenOut: quote.tokenOut,
  amountIn: quote.amountIn.toString(),
  amountOut: quote.amountOut.toString(),
  minAmountOut: minAmountOut.toString(),
  slippageBps,
  priceImpactBps: quote.priceImpactBps ?? null,
  protocol: quote.protocol,
  router: quote.router,
  path: quote.path,
  feesPath: quote.feesPath,
});
