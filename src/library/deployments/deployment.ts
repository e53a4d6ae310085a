// What a live deployment is: its record, where its alerts go, what happened to it, and why each limit is where it is.
//
//   running → paused → running      by its owner
//   running → failed → running      by too many errors in a row; resumed by its owner

/** Where an alert goes. */
export type Target =
  /** Without a chat: the operator's default one. */
  | { readonly type: 'telegram'; readonly chatId?: string | undefined }
  /** With a secret the body is signed. */
  | {
      readonly type: 'webhook';
      readonly url: string;
      readonly secret?: string | undefined;
      /** `message`: the alert's own message is the body, and nothing else; absent means an event that tells everything. */
      readonly body?: 'event' | 'message' | undefined;
    }
  /** Written down among the signals; trades nothing. Without a signalType: the message as one word. */
  | { readonly type: 'signals'; readonly signalType?: string | undefined }
  /** Traded through the gateway's gates under this webhook key, of which only the id and the label are kept. */
  | {
      readonly type: 'trade';
      readonly keyId: string;
      readonly keyLabel: string;
      /** Where the orders of a strategy go; the alerts of an indicator say it themselves. */
      readonly exchange?: string | undefined;
      /** Whose book they belong to; one of the deployment's own when left out. */
      readonly strategy?: string | undefined;
    }
  /** Trades nothing: TradingView's own alerts of the script are awaited under this webhook key; see opinions/opinion.ts. */
  | {
      readonly type: 'second-opinion';
      readonly keyId: string;
      readonly keyLabel: string;
      readonly exchange?: string | undefined;
      /** The strategy that the alerts name; none when left out. */
      readonly strategy?: string | undefined;
      /** What the names of its alerts begin with; a part of the deployment's id when left out. */
      readonly alertName?: string | undefined;
      /** Whether an alert that is missing is sent by us; in a dry run it is only written down. */
      readonly sendMissing: boolean;
      readonly lateAfterSeconds: number;
      readonly sendAfterSeconds: number;
      readonly quantityTolerancePercent: number;
      readonly priceTolerancePercent: number;
      /** Fields of the owner's own in the alert of a strategy, such as a leverage: what we send has them too. */
      readonly fields?: Readonly<Record<string, unknown>> | undefined;
    };

export type OpinionTarget = Extract<Target, { type: 'second-opinion' }>;

export const opinionTargetOf = (targets: readonly Target[]): OpinionTarget | undefined =>
  targets.find((target): target is OpinionTarget => target.type === 'second-opinion');

/** Whether targets of the type `trade` really trade, or only write down what they would send. */
export type DeploymentMode = 'dry-run' | 'trade';

export type DeploymentState = 'running' | 'paused' | 'failed';

/** What its owner chose; none of it changes later. */
export interface DeploymentPlan {
  readonly scriptId: string;
  /** The pinned one: a later save of the script changes nothing here. */
  readonly revision: number;
  readonly name: string;
  /** As its owner spelled it. */
  readonly symbol: string;
  /** The market's plain name, as market data knows it. */
  readonly market: string;
  readonly interval: string;
  readonly timeframeMs: number;
  /** By title. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly targets: readonly Target[];
  readonly mode: DeploymentMode;
  /** What a fill says whose call has no `alert_message`, with placeholders; null: what TradingView says. */
  readonly orderMessage: string | null;
  /** What a strategy begins with; null: what its script declares. */
  readonly initialCapital: number | null;
}

export interface Deployment extends DeploymentPlan {
  /** SHA-256 over its source and those of its libraries; null of one that was made before these were kept. */
  readonly digest: string | null;
  /** The libraries it runs with, as `publisher/Name/1`. */
  readonly imports: readonly string[];
  readonly id: string;
  readonly userId: string;
  readonly scriptType: 'indicator' | 'strategy';
  readonly state: DeploymentState;
  readonly createdAtMs: number;
  /** Every run begins at this bar, so that results do not change with a sliding window. */
  readonly anchorMs: number;
  readonly lastRunAtMs: number | null;
  /** The newest bar that is dealt with, whether it was run, missed, or there before the deployment was. */
  readonly lastBarTimeMs: number;
  readonly lastError: string | null;
  /** How many runs have failed in a row. */
  readonly failures: number;
  readonly runs: number;
  readonly alerts: number;
  /** What the script holds by its own books, positive long; null of an indicator, and before the first bar. */
  readonly position: number | null;
  /** What its told fills add up to, positive long; null where none was told since this is kept. See told-position.ts. */
  readonly toldPosition: number | null;
  /** Where its bars come from, as bar-sources.ts names it; null of one that was made before this was kept: MARKET_DATA. */
  readonly barsFrom: string | null;
  /** Where the books it trades into hold something else, in words; null where they agree, or nothing is traded. */
  readonly drift: string | null;
}

/** One fill of a strategy's order, as a signal is made of it. */
export interface EventOrder {
  readonly id: string;
  readonly action: 'buy' | 'sell';
  readonly contracts: number;
  readonly price: number;
  /** Position before and after it: positive long, negative short. */
  readonly before: number;
  readonly after: number;
  readonly stopLoss: number | null;
  readonly takeProfit: number | null;
}

/** One alert or fill on the newest bar. The id is the same however often that bar is run. */
export interface DeploymentEvent {
  readonly id: string;
  readonly deploymentId: string;
  readonly barTimeMs: number;
  /** Its place among the events of the bar. */
  readonly ordinal: number;
  readonly message: string;
  readonly title: string | null;
  readonly source: 'alert' | 'alertcondition' | 'order';
  /** Of a fill; null of an alert. */
  readonly order: EventOrder | null;
  /** When the close or the tick was noticed that raised it, whatever its run waited for; of a late exit, when it was told. */
  readonly createdAtMs: number;
}

export type LogKind =
  | 'created'
  | 'paused'
  | 'resumed'
  | 'failed'
  | 'run'
  | 'alert'
  | 'order'
  | 'drift'
  | 'opinion'
  | 'delivered'
  | 'delivery-failed'
  | 'abandoned'
  | 'error'
  | 'missed'
  | 're-anchored';

export interface LogEntry {
  readonly atMs: number;
  readonly kind: LogKind;
  readonly message: string;
  readonly barTimeMs?: number | undefined;
  readonly eventId?: string | undefined;
  readonly runMs?: number | undefined;
}

/** A person watches a handful; every one of them costs a run at each close of its bars. */
export const MAX_PER_USER = 20;
/** All of them on one minute, each with the longest history, take two threads some seconds of it. */
export const MAX_IN_ALL = 200;
/** Each alert is sent to each of them. */
export const MAX_TARGETS = 5;
/** A day of errors, hours of alerts; what is older nobody looks for here. */
export const KEPT_LOGS = 500;
/** Of them, runs that raised nothing: at a minute each they would push everything else out within a day. */
export const KEPT_QUIET_RUNS = 100;
/** Events are kept for whoever asks what was sent; that none comes twice does not hang on them. */
export const KEPT_EVENTS = 1000;
/** A loop can raise thousands on one bar; nobody reads them, and no receiver takes them in time. */
export const MAX_EVENTS_PER_BAR = 20;
/** More fills than any strategy means on one bar; what is not traded is in the log. */
export const MAX_ORDERS_PER_BAR = 50;
/** What one chat message holds, and more than any order needs. */
export const MAX_MESSAGE_CHARS = 4096;
/** Bars before the first one that acts: enough for the slow averages people use. */
export const ANCHOR_BARS = 1000;
/** A run over so many bars takes a tenth of a second; beyond them the anchor moves. */
export const MAX_RUN_BARS = 20_000;
/** A strategy's books are those of its whole history, so that its anchor moves later, and only while it holds nothing. */
export const MAX_STRATEGY_BARS = 100_000;
/** Bars from the moved anchor to the newest: the next move is then 10,000 bars away. */
export const REANCHOR_BARS = 10_000;
export const MAX_FAILURES_IN_A_ROW = 10;
