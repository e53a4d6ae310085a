// Opens testnet and live accounts. Accounts at one host share its limits: most venues count by address.

import type { Exchange } from '../../exchanges/exchange.ts';
import type { Timers } from '../../timing/timers.ts';
import type { FundingStore } from '../../trading/books/funding-store.ts';
import type { KeyPermissions } from '../../trading/key-permissions.ts';
import type { Lease } from '../../trading/leases.ts';
import { type OrderRequest, UnknownMarket, type Venue } from '../../trading/venue.ts';
import type { HostSilences } from '../host-silences.ts';
import { type LiveVenueOptions, openLiveVenue, STREAM_PACE } from './live-venue.ts';
import { RequestLimits } from './request-limits.ts';
import { type Credentials, openSigner } from './signer.ts';
import { tryStream } from './try-stream.ts';
import type { AdapterParts, VenueAdapter } from './venue-adapter.ts';
import { VenueClient, type VenueDialect } from './venue-client.ts';

/** What must be known to open one. */
export interface AccountToOpen {
  readonly exchange: Exchange;
  readonly account: string;
  readonly mode: LiveVenueOptions['mode'];
  readonly credentials: Credentials;
  /** Instead of the venue's own address; its streams are there too. */
  readonly baseUrl?: string | undefined;
}

export interface LiveAccount {
  readonly venue: Venue;
  /** How far the venue's clock is ahead of ours. */
  clockOffsetMs(): Promise<number>;
  permissions(): Promise<KeyPermissions>;
  /** Called each time the venue refuses the key, whatever was asked. One listener. */
  watchKey?(onRefused: () => void): void;
  /** Asks whether the venue would take this order, and sends none; absent where the venue has no such question. */
  readonly tryOrder?: ((request: OrderRequest) => Promise<void>) | undefined;
  /** Opens a second stream of the account for a moment; rejects with the reason where it cannot be opened. */
  tryStream(): Promise<void>;
}

export interface LiveAccountsOptions {
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  /** Shared with whoever else asks the same hosts; their own when left out. */
  readonly silences?: HostSilences;
  /** Loads the code of a venue when the first account of it is opened. */
  readonly folderOf: (exchange: Exchange) => Promise<VenueFolder>;
  /** Where their funding is kept; without it none is told. */
  readonly fundings?: FundingStore;
  /** Of whoever trades where others may take over; absent where there are none. */
  readonly lease?: Pick<Lease, 'remainingMs' | 'ended'> | undefined;
  readonly random: () => number;
  readonly log: LiveVenueOptions['log'];
  readonly onTrouble: LiveVenueOptions['onTrouble'];
  /** How often orders that rest are looked at, beside what the venue tells by itself. */
  readonly lookEveryMs?: number;
}

/** A venue answers in tens of milliseconds; what takes longer than this is lost. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than this no order waits for its turn: the signal is tried again, or told that the venue is busy. */
const MAX_LIMIT_WAIT_MS = 15_000;
const LOOK_EVERY_MS = 5_000;

/** What each venue's adapter.ts exports. */
export interface VenueFolder {
  readonly dialect: VenueDialect;
  readonly createAdapter: (parts: AdapterParts) => VenueAdapter;
}

export class LiveAccounts {
  readonly #options: LiveAccountsOptions;
  readonly #limits = new Map<string, RequestLimits>();

  constructor(options: LiveAccountsOptions) {
    this.#options = options;
  }

  async open({ exchange, account, mode, credentials, baseUrl }: AccountToOpen): Promise<LiveAccount> {
    const { nowMs, timers, lease } = this.#options;
    const { dialect, createAdapter } = await this.#options.folderOf(exchange);
    const address = (baseUrl ?? dialect.baseUrls[mode])?.replace(/\/+$/, '');
    const streamUrl =
      baseUrl === undefined ? dialect.streamUrls[mode] : `${address?.replace(/^http/, 'ws')}${dialect.streamPath}`;
    if (address === undefined || streamUrl === undefined)
      throw new Error(`${dialect.title} has no testnet for futures; trade it on paper first`);
    const { ccxtClass, receiveWindowMs } = dialect;
    const signer = await openSigner({ ccxtClass, credentials, urls: dialect.sectionUrls(address), receiveWindowMs });
    const limits = this.#limitsOf(address, dialect);
    let onRefused = (): void => {};
    const client = new VenueClient({
      ...{ dialect, signer, limits, timeoutMs: REQUEST_TIMEOUT_MS, nowMs, lease },
      onKeyRefused: () => onRefused(),
    });
    const parts = { signer, streamUrl, isTestnet: mode === 'testnet', nowMs, timers };
    const adapter = createAdapter({ ...parts, client });
    const urgentAdapter = createAdapter({ ...parts, client: client.urgent });
    const venue = openLiveVenue({
      ...{ exchange, account, mode, client, adapter, urgentAdapter },
      ...{ lookEveryMs: LOOK_EVERY_MS, ...this.#options },
    });
    return {
      venue,
      clockOffsetMs: () => client.readClock(),
      permissions: () => adapter.permissions(),
      watchKey: (listener) => {
        onRefused = listener;
      },
      tryOrder: adapter.tryOrder && ((request) => tryOrder(request, adapter, venue)),
      tryStream: () =>
        tryStream({ ...this.#options, title: `${dialect.title}'s account`, stream: adapter.stream, pace: STREAM_PACE }),
    };
  }

  #limitsOf(address: string, { title, limits }: VenueDialect): RequestLimits {
    const { monotonicMs, timers, silences } = this.#options;
    const known = this.#limits.get(address);
    if (known !== undefined) return known;
    const made = new RequestLimits({
      ...{ title, limits, maxWaitMs: MAX_LIMIT_WAIT_MS, monotonicMs, timers },
      ...(silences && { silence: silences.of(address) }),
    });
    this.#limits.set(address, made);
    return made;
  }
}

async function tryOrder(request: OrderRequest, adapter: VenueAdapter, venue: Venue): Promise<void> {
  const market = (await adapter.markets()).markets.get(request.market);
  if (market === undefined) throw new UnknownMarket(`there is no market ${request.market}`);
  await adapter.tryOrder?.(market, request, await venue.positionMode());
}
