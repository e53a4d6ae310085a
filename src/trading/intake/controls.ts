// The controls a trader turns while the gateway runs: stored, so they survive restarts; audited; in force at once.
//
// Some of them can also stand in the environment. There is one rule for both places: what the environment sets rules, and
// turning it here is refused with that reason; what it does not set is the stored value, else the default.

import { SerialQueue } from '../../timing/serial-queue.ts';

export const QUEUE_MODES = ['direct', 'async', 'failover'] as const;
export type QueueMode = (typeof QUEUE_MODES)[number];

export const KILL_SCOPES = ['all', 'entries'] as const;
export interface KillSwitch {
  readonly active: boolean;
  /** `entries` still lets positions be closed. */
  readonly scope: (typeof KILL_SCOPES)[number];
  /** Opening orders that rest at the venues are withdrawn; absent means no, as in switches of earlier versions. */
  readonly cancelEntries?: boolean;
  /** Every position is closed; absent means no. */
  readonly flatten?: boolean;
  readonly reason?: string;
  /** Absent when a person threw it. */
  readonly by?: 'drawdown-guard';
  /** Since when it has been on; absent while it is off, and in switches of earlier versions. */
  readonly sinceMs?: number;
}

export interface Limits {
  /** Signals per key and minute; 0 means no limit. */
  readonly webhookRatePerMinute: number;
  /** Wrong keys per address and minute; 0 means no limit. */
  readonly failedAuthPerMinute: number;
}

export interface ControlValues {
  readonly killSwitch: KillSwitch;
  readonly queueMode: QueueMode;
  /** Empty means every address may send. */
  readonly allowlist: readonly string[];
  readonly limits: Limits;
}

/** The places of settings, which rule over what is stored. */
export type RulingSource = 'environment' | '.env';
/** Where the value in force comes from. */
export type ControlSource = RulingSource | 'stored' | 'default';

export const isRuling = (source: ControlSource): source is RulingSource =>
  source === 'environment' || source === '.env';

/** The controls that a setting of the environment may rule, each with that setting. */
export const ENVIRONMENT_SETTINGS = {
  queueMode: 'QUEUE_MODE',
  allowlist: 'IP_ALLOWLIST',
  webhookRatePerMinute: 'WEBHOOK_RATE_PER_MINUTE',
} as const;
export type RuledControl = keyof typeof ENVIRONMENT_SETTINGS;

/** The limits have a source each: only one of them has a setting. */
export type ControlSources = Readonly<Record<Exclude<keyof ControlValues, 'limits'> | keyof Limits, ControlSource>>;

/** What a change of a control may hold: limits that are not named stay as they are. */
export type ControlChanges = Omit<ControlValues, 'limits'> & { readonly limits: Partial<Limits> };

/** A change that the environment forbids. */
export class SettingFromEnvironment extends Error {
  constructor(control: RuledControl) {
    const setting = ENVIRONMENT_SETTINGS[control];
    super(`${setting} is set in the environment (or .env) and rules; change it there and restart, or remove it there`);
    this.name = 'SettingFromEnvironment';
  }
}

export interface AuditEntry {
  readonly atMs: number;
  readonly actor: string;
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** For a change whose values live elsewhere. */
export const auditEntryOf = (
  change: Pick<AuditEntry, 'actor' | 'setting'> & { readonly before: object | null; readonly after: object | null },
  atMs: number,
): AuditEntry => ({
  ...change,
  atMs,
  before: change.before && JSON.stringify(change.before),
  after: change.after && JSON.stringify(change.after),
});

/** The settings port. A write is durable when its promise resolves; a change and its audit entry are one transaction. */
export interface SettingsStore {
  /** Without waiting, because gates ask it. What was written is read from the moment on at which its promise resolves. */
  get(name: string): string | undefined;
  set(name: string, value: string, entry: AuditEntry): Promise<void>;
  /** For changes whose values live elsewhere (keys). */
  appendAudit(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  audit(limit: number): Promise<readonly AuditEntry[]>;
}

export interface Controls {
  current(): ControlValues;
  sources(): ControlSources;
  /** Stored and in force when it resolves. Rejects with SettingFromEnvironment for what the environment rules. */
  set<N extends keyof ControlValues>(name: N, change: ControlChanges[N], actor: string): Promise<void>;
  /** Called at once with the present values, and again after every change with who made it. */
  watch(listener: (values: ControlValues, actor?: string) => void): void;
}

export interface ControlsOptions {
  readonly store: SettingsStore;
  /** What holds where nothing is stored: the value of the environment, or the default. */
  readonly initial: ControlValues;
  /** Where the controls are set whose initial value nothing stored outranks. */
  readonly ruledBy?: Readonly<Partial<Record<RuledControl, RulingSource>>>;
  readonly nowMs: () => number;
}

export function createControls({ store, initial, ruledBy = {}, nowMs }: ControlsOptions): Controls {
  const rulerOf = (name: string): RulingSource | undefined => ruledBy[name as RuledControl];
  const isRuled = (name: string): boolean => rulerOf(name) !== undefined;
  const stored = (): Partial<ControlChanges> =>
    Object.fromEntries(CONTROLS.flatMap((name) => readStored(store, name)).filter(([name]) => !isRuled(name)));
  const inForce = (found: Partial<ControlChanges>): ControlValues => {
    const limits = { ...initial.limits, ...found.limits };
    if (isRuled('webhookRatePerMinute')) limits.webhookRatePerMinute = initial.limits.webhookRatePerMinute;
    return Object.freeze({ ...initial, ...found, limits });
  };
  let found = stored();
  let values = inForce(found);
  const listeners: ((values: ControlValues, actor?: string) => void)[] = [];
  /** One after the other: each change is made from what the one before has left in force. */
  const changes = new SerialQueue();
  /** Limits that are not named stay as they are. */
  const merged = (name: keyof ControlValues, change: ControlChanges[keyof ControlValues]): unknown =>
    name === 'limits' ? { ...found.limits, ...(change as Partial<Limits>) } : change;
  const sourceOf = (name: string, kept: object = found): ControlSource =>
    rulerOf(name) ?? (Object.hasOwn(kept, name) ? 'stored' : 'default');

  async function change<N extends keyof ControlValues>(
    name: N,
    wanted: ControlChanges[N],
    actor: string,
  ): Promise<void> {
    const named = name === 'limits' ? Object.keys(wanted) : [name];
    const ruled = named.find(isRuled);
    if (ruled !== undefined) throw new SettingFromEnvironment(ruled as RuledControl);
    const atMs = nowMs();
    const kept = name === 'killSwitch' ? dated(wanted as KillSwitch, values.killSwitch, atMs) : merged(name, wanted);
    const next = { ...found, [name]: kept };
    const after = inForce(next);
    await store.set(name, JSON.stringify(kept), {
      ...{ atMs, actor, setting: name },
      before: auditText(values[name]),
      after: auditText(after[name]),
    });
    found = next;
    // What did not change stays the same object: whoever watches compares.
    values = Object.freeze({ ...values, [name]: after[name] });
    for (const listener of listeners) listener(values, actor);
  }

  return {
    current: () => values,
    sources: () => ({
      killSwitch: sourceOf('killSwitch'),
      queueMode: sourceOf('queueMode'),
      allowlist: sourceOf('allowlist'),
      webhookRatePerMinute: sourceOf('webhookRatePerMinute', found.limits),
      failedAuthPerMinute: sourceOf('failedAuthPerMinute', found.limits),
    }),
    set: (name, wanted, actor) => changes.run(() => change(name, wanted, actor)),
    watch(listener) {
      listeners.push(listener);
      listener(values);
    },
  };
}

/** A switch that is thrown again, stricter or milder, has been on since it was thrown first. */
function dated({ sinceMs: _, ...killSwitch }: KillSwitch, before: KillSwitch, atMs: number): KillSwitch {
  if (!killSwitch.active) return killSwitch;
  const sinceMs = before.active ? before.sinceMs : atMs;
  return sinceMs === undefined ? killSwitch : { ...killSwitch, sinceMs };
}

/** The audit has its own times. */
const auditText = (value: unknown): string =>
  JSON.stringify(value, (name, part) => (name === 'sinceMs' ? undefined : part));

/** A control as people read it: the setting's name, the value in force, and where that comes from. */
export interface ShownControl {
  readonly name: (typeof ENVIRONMENT_SETTINGS)[RuledControl];
  readonly value: string;
  readonly source: ControlSource;
}

export function shownControls(controls: Pick<Controls, 'current' | 'sources'>): readonly ShownControl[] {
  const { queueMode, allowlist, limits } = controls.current();
  const sources = controls.sources();
  const shown = (control: RuledControl, value: string): ShownControl => ({
    name: ENVIRONMENT_SETTINGS[control],
    value,
    source: sources[control],
  });
  return [
    shown('queueMode', queueMode),
    shown('allowlist', allowlist.join(',')),
    shown('webhookRatePerMinute', String(limits.webhookRatePerMinute)),
  ];
}

const CONTROLS = ['killSwitch', 'queueMode', 'allowlist', 'limits'] as const satisfies readonly (keyof ControlValues)[];

function readStored(store: SettingsStore, name: keyof ControlValues): readonly [string, unknown][] {
  const text = store.get(name);
  return text === undefined ? [] : [[name, JSON.parse(text)]];
}
