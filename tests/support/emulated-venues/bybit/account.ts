// Bybit's unified account: its balance, its settings, what its key may do, and every payment.

import { minus, over, plus, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { Credentials } from '../emulated-venue.ts';
import type { Income } from '../futures-account.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { type Page, type Parameters, pageOf, periodOf } from './parameters.ts';
import { BybitRefusal } from './ret-codes.ts';

export interface BybitKey extends Credentials {
  readonly readOnly?: boolean;
  /** By the kinds of Bybit, such as `{ ContractTrade: ['Order', 'Position'], Wallet: ['Withdraw'] }`. */
  readonly permissions?: Readonly<Record<string, readonly string[]>>;
  /** Where it may be used from; empty means anywhere. */
  readonly ips?: readonly string[];
}

const PERMISSIONS = ['ContractTrade', 'Spot', 'Wallet', 'Options', 'Derivatives', 'Exchange', 'Earn', 'BlockTrade'];
export const TRADING_PERMISSIONS = { ContractTrade: ['Order', 'Position'] } as const;
const PAGE = { usual: 20, most: 50 };
const LOG_TYPES: Readonly<Record<Income['type'], string>> = {
  COMMISSION: 'TRADE',
  REALIZED_PNL: 'TRADE',
  FUNDING_FEE: 'SETTLEMENT',
  TRANSFER: 'TRANSFER_IN',
};

export const keyInformation = (key: BybitKey): object => ({
  id: '13770661',
  note: 'emulated',
  apiKey: key.apiKey,
  readOnly: key.readOnly ? 1 : 0,
  secret: '',
  permissions: {
    ...Object.fromEntries(PERMISSIONS.map((name) => [name, []])),
    ...(key.permissions ?? TRADING_PERMISSIONS),
  },
  ips: (key.ips ?? []).length === 0 ? ['*'] : key.ips,
  type: 1,
  deadlineDay: 90,
  expiredAt: '2099-01-01T00:00:00Z',
  createdAt: '2024-01-01T00:00:00Z',
  unified: 0,
  uta: 1,
  userID: 24617703,
  inviterID: 0,
  vipLevel: 'No VIP',
  mktMakerLevel: '0',
  affiliateID: 0,
  rsaPublicKey: '',
  isMaster: true,
  parentUid: '0',
  kycLevel: 'LEVEL_DEFAULT',
  kycRegion: '',
});

export class Account {
  #marginMode = 'REGULAR_MARGIN';
  readonly #market: MatchingMarket;

  constructor(market: MatchingMarket) {
    this.#market = market;
  }

  info(): object {
    return {
      unifiedMarginStatus: 6,
      marginMode: this.#marginMode,
      isMasterTrader: false,
      spotHedgingStatus: 'OFF',
      dcpStatus: 'OFF',
      timeWindow: 10,
      smpGroup: 0,
      updatedTime: String(this.#market.nowMs()),
    };
  }

  /** Of the whole account; a unified account has no margin mode for each contract. */
  setMarginMode(parameters: Parameters): object {
    const modes = ['ISOLATED_MARGIN', 'REGULAR_MARGIN'] as const;
    this.#marginMode = parameters.word('setMarginMode', modes);
    const marginType = this.#marginMode === 'ISOLATED_MARGIN' ? 'ISOLATED' : 'CROSSED';
    for (const symbol of this.#market.specs.keys()) this.#market.account.settings(symbol).marginType = marginType;
    return { reasons: [] };
  }

  balances(parameters: Parameters): { readonly list: readonly object[] } {
    if (parameters.text('accountType') !== 'UNIFIED')
      throw new BybitRefusal(10001, 'accountType only support UNIFIED.');
    return { list: [this.balance()] };
  }

  balance(): object {
    const { account } = this.#market;
    const unrealised = account.totalUnrealizedPnl();
    const equity = plus(account.wallet, unrealised);
    const held = account.heldPositions();
    const positionMargin = held.reduce((sum, position) => plus(sum, account.initialMargin(position)), ZERO);
    const maintenance = held.reduce((sum, position) => plus(sum, account.maintenanceMargin(position)), ZERO);
    const orderMargin = this.#market
      .openOrders()
      .reduce((sum, order) => plus(sum, this.#market.orderMargin(order)), ZERO);
    const initial = plus(positionMargin, orderMargin);
    const rate = (part: typeof initial): string => (equity > 0n ? toText(over(part, equity)) : '0');
    const coin = {
      coin: 'USDT',
      equity: toText(equity),
      usdValue: toText(equity),
      walletBalance: toText(account.wallet),
      locked: '0',
      spotHedgingQty: '0',
      borrowAmount: '0',
      availableToWithdraw: '',
      accruedInterest: '0',
      totalOrderIM: toText(orderMargin),
      totalPositionIM: toText(positionMargin),
      totalPositionMM: toText(maintenance),
      unrealisedPnl: toText(unrealised),
      cumRealisedPnl: '0',
      bonus: '0',
      collateralSwitch: true,
      marginCollateral: true,
    };
    return {
      accountType: 'UNIFIED',
      accountLTV: '0',
      accountIMRate: rate(initial),
      accountMMRate: rate(maintenance),
      totalEquity: toText(equity),
      totalWalletBalance: toText(account.wallet),
      totalMarginBalance: toText(equity),
      totalAvailableBalance: toText(this.#market.available()),
      totalPerpUPL: toText(unrealised),
      totalInitialMargin: toText(initial),
      totalMaintenanceMargin: toText(maintenance),
      coin: [coin],
    };
  }

  /** Newest first. Funding that was received is positive. */
  transactions(parameters: Parameters): Page<object> {
    const { fromMs, toMs } = periodOf(parameters, this.#market.nowMs());
    const type = parameters.text('type');
    let cashBalance = this.#market.account.wallet;
    const rows: object[] = [];
    for (const income of [...this.#market.account.income].reverse()) {
      const isAsked = type === undefined || LOG_TYPES[income.type] === type;
      if (isAsked && fromMs <= income.atMs && income.atMs <= toMs)
        rows.push(transactionRow(income, toText(cashBalance)));
      cashBalance = minus(cashBalance, income.amount);
    }
    return pageOf(rows, parameters, PAGE);
  }
}

function transactionRow({ id, type, symbol, amount, atMs, tradeId }: Income, cashBalance: string): object {
  const isFunding = type === 'FUNDING_FEE';
  const isFee = type === 'COMMISSION';
  return {
    id: `${id}_${symbol}`,
    transactionTime: String(atMs),
    type: LOG_TYPES[type],
    transSubType: '',
    category: symbol === '' ? '' : 'linear',
    symbol,
    currency: 'USDT',
    funding: isFunding ? toText(amount) : '',
    fee: isFee ? toText(minus(ZERO, amount)) : '0',
    cashFlow: isFunding || isFee ? '0' : toText(amount),
    change: toText(amount),
    cashBalance,
    tradeId,
    orderId: '',
    orderLinkId: '',
  };
}
