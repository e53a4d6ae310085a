// The settings of a Binance futures account: leverage, margin type, position mode and multi-assets mode. What is set
// already is refused with a code of its own, which callers must read as success; only leverage may be set again.

import { absolute, toNumber, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { MarginType } from '../futures-account.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { refuse } from './errors.ts';
import type { Parameters } from './parameters.ts';
import { specOf } from './request-order.ts';

const SUCCESS = { code: 200, msg: 'success' };

export class AccountSettings {
  readonly #market: MatchingMarket;

  constructor(market: MatchingMarket) {
    this.#market = market;
  }

  setLeverage(parameters: Parameters): unknown {
    const { symbol, brackets } = specOf(this.#market, parameters);
    const { account } = this.#market;
    const leverage = parameters.requiredInteger('leverage');
    if (leverage < 1 || leverage > brackets[0]!.maxLeverage) throw refuse('-4028', String(leverage));
    const settings = account.settings(symbol);
    const held = account.heldPositions(symbol);
    const isLess = leverage < settings.leverage;
    if (isLess && settings.marginType === 'ISOLATED' && held.length > 0) throw refuse('-4161');
    const maxNotional = account.maxNotional(symbol, leverage);
    if (held.some((position) => absolute(account.notional(position)) > maxNotional)) throw refuse('-2027');
    if (isLess && !this.#canAfford(symbol, leverage)) throw refuse('-2028');
    this.#market.setLeverage(symbol, leverage);
    return { leverage, maxNotionalValue: toText(maxNotional), symbol };
  }

  /** Less leverage binds more margin for what is held and ordered. */
  #canAfford(symbol: string, leverage: number): boolean {
    const settings = this.#market.account.settings(symbol);
    const before = settings.leverage;
    if (this.#market.account.heldPositions(symbol).length === 0 && this.#market.openOrders(symbol).length === 0)
      return true;
    settings.leverage = leverage;
    const left = this.#market.available();
    settings.leverage = before;
    return left > ZERO;
  }

  leverageBrackets(parameters: Parameters): unknown {
    const specs = parameters.has('symbol') ? [specOf(this.#market, parameters)] : [...this.#market.specs.values()];
    return specs.map(({ symbol, brackets }) => ({
      symbol,
      notionalCoef: 1,
      brackets: brackets.map((bracket, index) => ({
        bracket: index + 1,
        initialLeverage: bracket.maxLeverage,
        notionalCap: toNumber(bracket.notionalCap),
        notionalFloor: index === 0 ? 0 : toNumber(brackets[index - 1]!.notionalCap),
        maintMarginRatio: toNumber(bracket.maintenanceRate),
        cum: toNumber(bracket.maintenanceDeduction),
      })),
    }));
  }

  symbolConfig(parameters: Parameters): unknown {
    const symbols = parameters.has('symbol')
      ? [specOf(this.#market, parameters).symbol]
      : [...this.#market.specs.keys()];
    return symbols.map((symbol) => {
      const { leverage, marginType } = this.#market.account.settings(symbol);
      const maxNotionalValue = toText(this.#market.account.maxNotional(symbol, leverage));
      return { symbol, marginType, isAutoAddMargin: false, leverage, maxNotionalValue };
    });
  }

  accountConfig(): unknown {
    const { positionMode, multiAssets } = this.#market.account;
    return {
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: true,
      dualSidePosition: positionMode === 'hedge',
      updateTime: 0,
      multiAssetsMargin: multiAssets,
      tradeGroupId: -1,
    };
  }

  setMarginType(parameters: Parameters): unknown {
    const { symbol } = specOf(this.#market, parameters);
    const wanted = parameters.requiredText('marginType');
    if (wanted !== 'ISOLATED' && wanted !== 'CROSSED') throw refuse('-1130', 'marginType');
    const settings = this.#market.account.settings(symbol);
    if (settings.marginType === wanted) throw refuse('-4046');
    if (wanted === 'ISOLATED' && this.#market.account.multiAssets) throw refuse('-4168');
    if (this.#hasOrders(symbol)) throw refuse('-4047');
    if (this.#market.account.heldPositions(symbol).length > 0) throw refuse('-4048');
    settings.marginType = wanted satisfies MarginType;
    return SUCCESS;
  }

  positionMode(): unknown {
    return { dualSidePosition: this.#market.account.positionMode === 'hedge' };
  }

  setPositionMode(parameters: Parameters): unknown {
    parameters.requiredText('dualSidePosition');
    const wanted = parameters.flag('dualSidePosition') ? 'hedge' : 'one-way';
    if (this.#market.account.positionMode === wanted) throw refuse('-4059');
    if (this.#hasOrders()) throw refuse('-4067');
    if (this.#market.account.heldPositions().length > 0) throw refuse('-4068');
    this.#market.account.positionMode = wanted;
    return SUCCESS;
  }

  multiAssets(): unknown {
    return { multiAssetsMargin: this.#market.account.multiAssets };
  }

  setMultiAssets(parameters: Parameters): unknown {
    parameters.requiredText('multiAssetsMargin');
    const wanted = parameters.flag('multiAssetsMargin')!;
    const { account } = this.#market;
    if (account.multiAssets === wanted) throw refuse('-4171');
    const isIsolated = [...this.#market.specs.keys()].some((one) => account.settings(one).marginType === 'ISOLATED');
    if (wanted && isIsolated) throw refuse('-4167');
    account.multiAssets = wanted;
    return SUCCESS;
  }

  #hasOrders(symbol?: string): boolean {
    return this.#market.openOrders(symbol).length > 0 || this.#market.stops.waiting(symbol).length > 0;
  }
}
