// A TradingView strategy as its alerts show it: it moves its own position and renders the placeholders of each order.

/** What one order of it renders. */
export interface StrategyAlert {
  readonly action: 'buy' | 'sell';
  readonly contracts: string;
  readonly marketPosition: string;
  readonly marketPositionSize: string;
  readonly prevMarketPosition: string;
  readonly prevMarketPositionSize: string;
}

export interface TradingviewStrategy {
  /** Long positive. */
  readonly position: number;
  /** One order that leads there; whether its alert arrives is for the test to say. */
  moveTo(position: number): StrategyAlert;
}

const sideOf = (position: number): string => (position === 0 ? 'flat' : position > 0 ? 'long' : 'short');
/** Without the hair that sums of binary numbers are off by. */
const rounded = (size: number): number => Number(size.toFixed(8));

export function createStrategy(start = 0): TradingviewStrategy {
  let position = start;
  return {
    get position() {
      return position;
    },
    moveTo(target) {
      const before = position;
      position = rounded(target);
      return {
        action: position > before ? 'buy' : 'sell',
        contracts: `${rounded(Math.abs(position - before))}`,
        marketPosition: sideOf(position),
        marketPositionSize: `${Math.abs(position)}`,
        prevMarketPosition: sideOf(before),
        prevMarketPositionSize: `${Math.abs(before)}`,
      };
    },
  };
}
