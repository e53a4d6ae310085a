// Where the bars of a deployment come from: the own exchange of the account it trades at, else MARKET_DATA.
//
// | its trade targets and second opinions name    | its bars are those of                                            |
// |-----------------------------------------------|------------------------------------------------------------------|
// | no exchange, or such that are on paper        | MARKET_DATA                                                      |
// | one exchange that is on testnet or live       | that exchange: of its testnet or of its real market              |
// | two of those, or one whose bars nobody has    | none: it is neither made nor resumed, and a start pauses it      |
//
// What a script decides on made-up prices, or on those of another venue, must not become an order with real money. And what it
// believes to hold comes from the bars it ran on. So one that was deployed on other bars than those its account has now, because
// the settings were changed since, is not taken up on them.

import type { Deployment, Target } from './deployment.ts';
import { exchangeOf } from './order-signal.ts';
import type { BarSource, MarketBars } from './ports.ts';

export interface BarOrigin {
  /** What MARKET_DATA is: `simulated`, or an exchange. */
  readonly marketData: string;
  /** The bars of each exchange that is not on paper, or in words with the remedy why they cannot be had. */
  readonly own: ReadonlyMap<string, BarSource | string>;
}

export interface BarSourcesParts {
  /** The bars of MARKET_DATA. */
  readonly market: MarketBars;
  /** Left out where every account is on paper. */
  readonly origin?: BarOrigin | undefined;
}

/** How the bars of an exchange are called: `bybit`, `bybit testnet`. Those of real money are what MARKET_DATA=bybit has too. */
export const ownBarsName = (exchange: string, mode: 'testnet' | 'live'): string =>
  mode === 'live' ? exchange : `${exchange} testnet`;

/** As a person reads it. */
export function barsInWords(name: string | undefined): string {
  if (name === undefined) return 'bars of which nobody knows whose they are';
  return name === 'simulated' ? 'simulated bars' : `the bars of ${name}`;
}

const BEGINS = 'It has no bars of its own venue:';

/** Whether a deployment is paused because of it. */
export const isOfForeignBars = (reason: string | null): boolean => reason?.startsWith(BEGINS) === true;

type Plan = Pick<Deployment, 'symbol' | 'targets'> & Partial<Pick<Deployment, 'barsFrom'>>;

export class BarSources {
  readonly #paper: BarSource;
  readonly #own: BarOrigin['own'];

  constructor({ market, origin }: BarSourcesParts) {
    const { marketData: name = 'simulated', own = new Map() } = origin ?? {};
    this.#own = own;
    this.#paper = {
      name,
      isOwn: false,
      bars: (...asked) => market.bars(...asked),
      follow: (...asked) => market.follow(...asked),
    };
  }

  /** Of one that is to be made when it says nothing of earlier bars. In words with the remedy where it must not run. */
  of(plan: Plan): BarSource | string {
    const exchanges = new Set(plan.targets.flatMap((target) => this.#realExchange(target, plan)));
    const [exchange, second] = exchanges;
    if (exchange === undefined) return this.#paper;
    if (second !== undefined)
      return `${BEGINS} it trades at ${exchange} and at ${second}, which are not on paper, and bars are those of one exchange. Deploy it once for each.`;
    const source = this.#own.get(exchange) as BarSource | string;
    if (typeof source === 'string') return `${BEGINS} ${source}`;
    const before = plan.barsFrom === undefined ? source.name : (plan.barsFrom ?? this.#paper.name);
    if (before === source.name) return source;
    return `${BEGINS} it was deployed on ${barsInWords(before)}, and ${exchange} is not on paper: there it would run on ${barsInWords(source.name)}, and what it believes to hold would be wrong. Deploy it again, and remove this one.`;
  }

  #realExchange(target: Target, { symbol }: Plan): string[] {
    if (target.type !== 'trade' && target.type !== 'second-opinion') return [];
    const exchange = exchangeOf(target, { symbol });
    return exchange !== undefined && this.#own.has(exchange) ? [exchange] : [];
  }
}
