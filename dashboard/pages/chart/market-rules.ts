// Ticks of prices and steps of quantities of a market, at every exchange that has it: what a strategy may order at all.

import type { SymbolInfo } from '../../../src/pine/index.ts';
import type { Market, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';

export class MarketRules {
  #symbol = '';
  #markets: readonly Market[] | undefined;

  /** Whether the server has said them, or that it cannot: no script runs before, and none with wrong ones. */
  get areKnown(): boolean {
    return this.#markets !== undefined;
  }

  /** Resolves with false where another market was asked for meanwhile. */
  async learn(symbol: string): Promise<boolean> {
    this.#symbol = symbol;
    this.#markets = undefined;
    const path = `/markets?${new URLSearchParams({ symbol })}`;
    const answer = await ask<Result<readonly Market[]>>(path).catch(() => undefined);
    if (this.#symbol !== symbol) return false;
    this.#markets = answer?.result ?? [];
    return true;
  }

  /** Of the market at one exchange: another's may be coarser. */
  tickSizeAt(exchange: string): number | undefined {
    return this.#markets?.find((market) => market.exchange === exchange)?.tickSize ?? undefined;
  }

  symbolInfo(): SymbolInfo {
    const rules = this.#markets?.find(({ tickSize }) => tickSize !== null);
    return {
      ...{ ticker: this.#symbol, type: 'crypto', timezone: 'Etc/UTC', session: '24x7', currency: 'USDT' },
      ...(rules?.tickSize != null && { mintick: rules.tickSize }),
      ...(rules?.stepSize != null && { mincontract: rules.stepSize }),
    };
  }
}
