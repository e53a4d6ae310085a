// The leverages that are set at Binance. Its positions do not tell them, so they are read once for all markets, beside and never before
// an order, and kept in line by what we set and by what the stream of the account tells.

import type { VenuePosition } from '../../../trading/venue.ts';
import { fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
const ALL_LEVERAGES_CALL: VenueCall = { method: 'GET', section: 'fapiPrivate', path: 'symbolConfig', cost: READ(5) };
/** A venue that does not tell them is not asked again with every order. */
const ASK_AGAIN_MS = 60_000;

export class Leverages {
  readonly #client: Pick<VenueClient, 'send'>;
  readonly #nowMs: () => number;
  readonly #known = new Map<string, number>();
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(client: Pick<VenueClient, 'send'>, nowMs: () => number) {
    this.#client = client;
    this.#nowMs = nowMs;
  }

  /** As it was set, or in the venue's words; what is none is not noted. */
  note(symbol: unknown, leverage: unknown): void {
    const number = Number(leverage);
    if (typeof symbol === 'string' && Number.isSafeInteger(number) && number > 0) this.#known.set(symbol, number);
  }

  /** A word of the stream; any other one is none of ours. */
  hear(message: unknown): void {
    const { e: type, ac: config } = fieldsOf(message);
    const { s: symbol, l: leverage } = fieldsOf(config);
    if (type === 'ACCOUNT_CONFIG_UPDATE') this.note(symbol, leverage);
  }

  /** At once: a leverage that is not known yet is asked for, and told the next time. */
  addTo(positions: readonly VenuePosition[]): readonly VenuePosition[] {
    if (positions.some(({ market }) => !this.#known.has(market))) this.#ask();
    return positions.map((position) => {
      const leverage = this.#known.get(position.market);
      return leverage === undefined ? position : { ...position, leverage };
    });
  }

  /** Of one market, asked for each time: a limit goes by it, and a stream that was cut has not told what was set meanwhile. */
  async of({ symbol, venueSymbol }: Pick<VenueMarket, 'symbol' | 'venueSymbol'>): Promise<number | undefined> {
    for (const row of read.list(await this.#client.send({ ...ALL_LEVERAGES_CALL, params: { symbol: venueSymbol } })))
      if (row.symbol === venueSymbol) this.note(symbol, row.leverage);
    return this.#known.get(symbol);
  }

  #ask(): void {
    if (Math.abs(this.#nowMs() - this.#askedMs) < ASK_AGAIN_MS) return;
    // Nothing but a list needs them: without an answer they are not shown.
    this.#readAll().catch(() => {});
  }

  async #readAll(): Promise<void> {
    this.#askedMs = this.#nowMs();
    // What was set or heard meanwhile is newer.
    for (const { symbol, leverage } of read.list(await this.#client.send(ALL_LEVERAGES_CALL)))
      if (typeof symbol === 'string' && !this.#known.has(symbol)) this.note(symbol, leverage);
  }
}
