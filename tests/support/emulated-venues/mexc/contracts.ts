// What MEXC lists: names with an underscore, volumes in contracts, and what it publishes of them.

import { type Decimal, decimal, minus, over, times, toNumber } from '../../../../src/trading/decimal.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { MexcRefusal } from './error-codes.ts';
import type { Parameters } from './parameters.ts';

const ONE = decimal(1);

const placesOf = (step: Decimal): number => (String(toNumber(step)).split('.')[1] ?? '').length;

export class Contracts {
  readonly #market: MatchingMarket;
  readonly #closed: ReadonlySet<string>;

  /** `closed`: where nothing can be ordered through the API. */
  constructor(market: MatchingMarket, closed: readonly string[]) {
    this.#market = market;
    this.#closed = new Set(closed);
  }

  nameOf(symbol: string): string {
    const { base, quote } = this.#market.spec(symbol);
    return `${base}_${quote}`;
  }

  find(name: string | undefined): MarketSpec {
    const spec = [...this.#market.specs.values()].find(({ symbol }) => this.nameOf(symbol) === name);
    if (spec === undefined) throw new MexcRefusal(1001);
    return spec;
  }

  allowsOrders(symbol: string): boolean {
    return !this.#closed.has(this.nameOf(symbol));
  }

  /** Contracts in so much of the base currency. */
  volumeOf(symbol: string, quantity: Decimal): number {
    return toNumber(over(quantity, this.#market.spec(symbol).contractSize));
  }

  quantityOf({ contractSize }: MarketSpec, volume: Decimal): Decimal {
    return times(volume, contractSize);
  }

  /** One where one is asked for, else all. */
  detail(parameters: Parameters): unknown {
    const name = parameters.text('symbol');
    if (name !== undefined) return this.#detailRow(this.find(name));
    return [...this.#market.specs.values()].map((spec) => this.#detailRow(spec));
  }

  #detailRow(spec: MarketSpec): object {
    const name = this.nameOf(spec.symbol);
    return {
      symbol: name,
      displayName: `${name} PERPETUAL`,
      displayNameEn: `${name} PERPETUAL`,
      positionOpenType: 3,
      baseCoin: spec.base,
      quoteCoin: spec.quote,
      settleCoin: spec.quote,
      contractSize: toNumber(spec.contractSize),
      minLeverage: 1,
      maxLeverage: spec.brackets[0]!.maxLeverage,
      priceScale: placesOf(spec.tickSize),
      volScale: 0,
      amountScale: 4,
      priceUnit: toNumber(spec.tickSize),
      volUnit: 1,
      minVol: 1,
      maxVol: this.volumeOf(spec.symbol, spec.maxQuantity),
      bidLimitPriceRate: toNumber(minus(spec.priceUp, ONE)),
      askLimitPriceRate: toNumber(minus(ONE, spec.priceDown)),
      takerFeeRate: toNumber(this.#market.takerFee),
      makerFeeRate: toNumber(this.#market.makerFee),
      maintenanceMarginRate: toNumber(spec.brackets[0]!.maintenanceRate),
      initialMarginRate: 1 / spec.brackets[0]!.maxLeverage,
      riskLimitType: 'BY_VALUE',
      riskLimitMode: 'CUSTOM',
      riskLimitCustom: spec.brackets.map(({ notionalCap, maxLeverage, maintenanceRate }, index) => ({
        level: index + 1,
        maxVol: toNumber(notionalCap),
        mmr: toNumber(maintenanceRate),
        imr: 1 / maxLeverage,
        maxLeverage,
      })),
      state: 0,
      isNew: false,
      isHot: false,
      isHidden: false,
      apiAllowed: this.allowsOrders(spec.symbol),
    };
  }

  ticker(parameters: Parameters): unknown {
    const name = parameters.text('symbol');
    if (name !== undefined) return this.#tickerRow(this.find(name).symbol);
    return [...this.#market.specs.keys()]
      .filter((symbol) => this.#market.hasPrice(symbol))
      .map((symbol) => this.#tickerRow(symbol));
  }

  #tickerRow(symbol: string): object {
    const { last, mark, bid, ask, quotedAtMs } = this.#market.prices(symbol);
    return {
      symbol: this.nameOf(symbol),
      lastPrice: toNumber(last),
      bid1: toNumber(bid),
      ask1: toNumber(ask),
      indexPrice: toNumber(mark),
      fairPrice: toNumber(mark),
      fundingRate: 0.0001,
      volume24: 0,
      amount24: 0,
      holdVol: 0,
      lower24Price: toNumber(last),
      high24Price: toNumber(last),
      riseFallRate: 0,
      riseFallValue: 0,
      timestamp: quotedAtMs ?? this.#market.nowMs(),
    };
  }

  /** By contract, for both directions. */
  riskLimits(parameters: Parameters): object {
    const name = parameters.text('symbol');
    const specs = name === undefined ? [...this.#market.specs.values()] : [this.find(name)];
    return Object.fromEntries(specs.map((spec) => [this.nameOf(spec.symbol), this.#riskRows(spec)]));
  }

  #riskRows({ symbol, brackets }: MarketSpec): object[] {
    const price = this.#market.hasPrice(symbol) ? this.#market.prices(symbol).mark : ONE;
    return [1, 2].flatMap((positionType) =>
      brackets.map(({ notionalCap, maxLeverage, maintenanceRate }, index) => ({
        symbol: this.nameOf(symbol),
        positionType,
        level: index + 1,
        maxVol: Math.floor(this.volumeOf(symbol, over(notionalCap, price))),
        maxLeverage,
        mmr: toNumber(maintenanceRate),
        imr: 1 / maxLeverage,
      })),
    );
  }
}
