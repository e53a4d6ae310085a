// What Binance tells of an account: balances, positions, income, fees and the permissions of the key.

import { type Decimal, minus, plus, toText, ZERO } from '../../../../src/trading/decimal.ts';
import { entryPriceOf, type FuturesPosition } from '../futures-account.ts';
import type { PositionSide } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { pricePrecisionOf, quantityPrecisionOf } from './filters.ts';
import { money, padded } from './number-text.ts';
import type { Parameters } from './parameters.ts';
import { specOf } from './request-order.ts';
import { isWithin, timeWindowOf } from './time-window.ts';

/** Of the key; a test may change them. */
export interface KeyPermissions {
  ipRestrict: boolean;
  enableReading: boolean;
  enableFutures: boolean;
  enableSpotAndMarginTrading: boolean;
  enableWithdrawals: boolean;
  enableInternalTransfer: boolean;
}

export class AccountInfo {
  readonly permissions: KeyPermissions = {
    ipRestrict: true,
    enableReading: true,
    enableFutures: true,
    enableSpotAndMarginTrading: true,
    enableWithdrawals: false,
    enableInternalTransfer: false,
  };
  readonly #market: MatchingMarket;

  constructor(market: MatchingMarket) {
    this.#market = market;
  }

  restrictions(): unknown {
    return {
      ...this.permissions,
      createTime: 1_700_000_000_000,
      enableMargin: false,
      permitsUniversalTransfer: false,
      enableVanillaOptions: false,
      enableFixApiTrade: false,
      enableFixReadOnly: false,
      enablePortfolioMarginTrading: false,
    };
  }

  balance(): unknown {
    const { account } = this.#market;
    const available = money(this.#market.available());
    return [
      {
        accountAlias: 'SgsR',
        asset: 'USDT',
        balance: money(account.wallet),
        crossWalletBalance: money(this.#crossWallet()),
        crossUnPnl: money(this.#crossUnrealized()),
        availableBalance: available,
        maxWithdrawAmount: available,
        marginAvailable: true,
        updateTime: this.#market.nowMs(),
      },
    ];
  }

  account(): unknown {
    const { account } = this.#market;
    const held = account.heldPositions();
    const sum = (of: (position: FuturesPosition) => Decimal): Decimal =>
      held.reduce((total, position) => plus(total, of(position)), ZERO);
    const positionMargin = sum((position) => account.initialMargin(position));
    const orderMargin = this.#orderMargin();
    const unrealized = account.totalUnrealizedPnl();
    const totals = {
      InitialMargin: plus(positionMargin, orderMargin),
      MaintMargin: sum((position) => account.maintenanceMargin(position)),
      WalletBalance: account.wallet,
      UnrealizedProfit: unrealized,
      MarginBalance: plus(account.wallet, unrealized),
      PositionInitialMargin: positionMargin,
      OpenOrderInitialMargin: orderMargin,
      CrossWalletBalance: this.#crossWallet(),
      CrossUnPnl: this.#crossUnrealized(),
    };
    const named = Object.entries(totals).map(([name, value]) => [name, money(value)] as const);
    const rest = {
      availableBalance: money(this.#market.available()),
      maxWithdrawAmount: money(this.#market.available()),
    };
    const uncapitalized = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
    const ofAsset = Object.fromEntries(named.map(([name, value]) => [uncapitalized(name), value]));
    return {
      ...Object.fromEntries(named.map(([name, value]) => [`total${name}`, value])),
      ...rest,
      assets: [{ asset: 'USDT', ...ofAsset, ...rest, updateTime: this.#market.nowMs() }],
      positions: held.map((position) => this.#accountPosition(position)),
    };
  }

  #accountPosition(position: FuturesPosition): unknown {
    const { account } = this.#market;
    const spec = this.#market.spec(position.symbol);
    return {
      symbol: position.symbol,
      positionSide: position.side,
      positionAmt: padded(position.quantity, quantityPrecisionOf(spec)),
      unrealizedProfit: money(account.unrealizedPnl(position)),
      isolatedMargin: money(this.#isolatedMargin(position)),
      notional: money(account.notional(position)),
      isolatedWallet: money(position.isolatedWallet),
      initialMargin: money(account.initialMargin(position)),
      maintMargin: money(account.maintenanceMargin(position)),
      updateTime: position.updatedMs,
    };
  }

  /** Only markets with a position or an order; the third version tells neither leverage nor margin type. */
  positionRisk(parameters: Parameters): unknown {
    const wanted = parameters.has('symbol')
      ? [specOf(this.#market, parameters).symbol]
      : [...this.#market.specs.keys()];
    return wanted
      .filter((symbol) => this.#isBusy(symbol))
      .flatMap((symbol) => this.#sides().map((side) => this.#risk(this.#market.account.position(symbol, side))));
  }

  /** The second version tells every market, with leverage and margin type. */
  positionRiskOfAll(parameters: Parameters): unknown {
    const wanted = parameters.has('symbol')
      ? [specOf(this.#market, parameters).symbol]
      : [...this.#market.specs.keys()];
    return wanted.flatMap((symbol) =>
      this.#sides().map((side) => {
        const { leverage, marginType } = this.#market.account.settings(symbol);
        return {
          ...this.#risk(this.#market.account.position(symbol, side)),
          leverage: String(leverage),
          marginType: marginType === 'CROSSED' ? 'cross' : 'isolated',
          isAutoAddMargin: 'false',
          maxNotionalValue: toText(this.#market.account.maxNotional(symbol, leverage)),
        };
      }),
    );
  }

  #sides(): readonly PositionSide[] {
    return this.#market.account.positionMode === 'hedge' ? ['LONG', 'SHORT'] : ['BOTH'];
  }

  #isBusy(symbol: string): boolean {
    return this.#market.account.heldPositions(symbol).length > 0 || this.#market.openOrders(symbol).length > 0;
  }

  #risk(position: FuturesPosition): Record<string, unknown> {
    const { account } = this.#market;
    const spec = this.#market.spec(position.symbol);
    const isFlat = position.quantity === ZERO;
    const inMoney = (value: () => Decimal): string => (isFlat ? '0' : money(value()));
    const margin = inMoney(() => account.initialMargin(position));
    return {
      symbol: position.symbol,
      positionSide: position.side,
      positionAmt: padded(position.quantity, quantityPrecisionOf(spec)),
      entryPrice: isFlat ? '0.0' : toText(entryPriceOf(position)),
      breakEvenPrice: isFlat ? '0.0' : toText(entryPriceOf(position)),
      markPrice: this.#market.hasPrice(position.symbol)
        ? padded(this.#market.prices(position.symbol).mark, 8)
        : '0.00000000',
      unRealizedProfit: inMoney(() => account.unrealizedPnl(position)),
      liquidationPrice: isFlat ? '0' : padded(account.liquidationPrice(position), pricePrecisionOf(spec)),
      isolatedMargin: inMoney(() => this.#isolatedMargin(position)),
      notional: inMoney(() => account.notional(position)),
      marginAsset: spec.quote,
      isolatedWallet: inMoney(() => position.isolatedWallet),
      initialMargin: margin,
      maintMargin: inMoney(() => account.maintenanceMargin(position)),
      positionInitialMargin: margin,
      openOrderInitialMargin: '0',
      adl: isFlat ? 0 : 2,
      bidNotional: '0',
      askNotional: '0',
      updateTime: position.updatedMs,
    };
  }

  income(parameters: Parameters): unknown {
    const limit = parameters.limit(100, 1000);
    const window = timeWindowOf(parameters, this.#market.nowMs());
    const [type, symbol] = [parameters.text('incomeType'), parameters.text('symbol')];
    const rows = this.#market.account.income.filter(
      (row) =>
        isWithin(row.atMs, window) &&
        (type === undefined || row.type === type) &&
        (symbol === undefined || row.symbol === symbol),
    );
    const page = parameters.has('startTime') ? rows.slice(0, limit) : rows.slice(-limit);
    return page.map((row) => ({
      symbol: row.symbol,
      incomeType: row.type,
      income: toText(row.amount),
      asset: 'USDT',
      info: row.type,
      time: row.atMs,
      tranId: row.id,
      tradeId: row.tradeId,
    }));
  }

  commissionRate(parameters: Parameters): unknown {
    const { symbol } = specOf(this.#market, parameters);
    const [maker, taker] = [this.#market.makerFee, this.#market.takerFee];
    return { symbol, makerCommissionRate: padded(maker, 6), takerCommissionRate: padded(taker, 6) };
  }

  #isolatedMargin(position: FuturesPosition): Decimal {
    const isIsolated = this.#market.account.settings(position.symbol).marginType === 'ISOLATED';
    return isIsolated ? plus(position.isolatedWallet, this.#market.account.unrealizedPnl(position)) : ZERO;
  }

  #crossWallet(): Decimal {
    const { account } = this.#market;
    return account.heldPositions().reduce((left, { isolatedWallet }) => minus(left, isolatedWallet), account.wallet);
  }

  #crossUnrealized(): Decimal {
    const { account } = this.#market;
    const cross = account.heldPositions().filter(({ symbol }) => account.settings(symbol).marginType === 'CROSSED');
    return cross.reduce((sum, position) => plus(sum, account.unrealizedPnl(position)), ZERO);
  }

  #orderMargin(): Decimal {
    const open = this.#market.openOrders();
    return open.reduce((sum, order) => plus(sum, this.#market.orderMargin(order)), ZERO);
  }
}
