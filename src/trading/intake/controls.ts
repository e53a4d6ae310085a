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

/** An entry with its number in the audit: a later one has a greater. */
export interface NumberedAuditEntry extends AuditEntry {
  readonly seq: number;
}

export interface AuditSearch {
  readonly limit: number;
  /** Only what stands before this one. */
  readonly before?: number | undefined;
  /** Letters that occur, in any case, in who, what, or either value. */
  readonly search?: string | undefined;
}

/** The settings port. A write is durable when its promise resolves; a change and its audit entry are one transaction. */
export interface SettingsStore {
  /** Without waiting, because gates ask it. What was written is read from the moment on at which its promise resolves. */
  get(name: string): string | undefined;
  set(name: string, value: string, entry: AuditEntry): Promise<void>;
  /** For changes whose values live elsewhere (keys). */
  appendAudit(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  audit(limit: number): Promise<readonly AuditEntry[]>;
  /** Called when something may have changed, in the same turn from which on it is read; absent where only this process changes it. */
  watch?(listener: () => void): void;
}

/** The copy of the controls that this process goes by, where several may change them. */
export interface ControlsCopy {
  /** Grows with every change, whoever makes it. What is in force here is of this version. */
  version(): number;
  /** Resolves when everything is in force here that was changed before it was called. */
  refresh(): Promise<void>;
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

export const createControls = (options: ControlsOptions): Controls => new StoredControls(options);

class StoredControls implements Controls {
  readonly #options: ControlsOptions;
  #found: Partial<ControlChanges>;
  #values: ControlValues;
  readonly #listeners: ((values: ControlValues, actor?: string) => void)[] = [];
  /** One after the other: each change is made from what the one before has left in force. */
  readonly #changes = new SerialQueue();
  /** What is being changed here: that is told when it is done, with who did it. */
  #changing: keyof ControlValues | undefined;

  constructor(options: ControlsOptions) {
    this.#options = options;
    this.#found = this.#stored();
    this.#values = this.#inForce(this.#found);
    options.store.watch?.(() => {
      if (this.#take(this.#stored()).some((name) => name !== this.#changing)) this.#tell();
    });
  }

  current(): ControlValues {
    return this.#values;
  }

  sources(): ControlSources {
    const { limits } = this.#found;
    return {
      killSwitch: this.#sourceOf('killSwitch'),
      queueMode: this.#sourceOf('queueMode'),
      allowlist: this.#sourceOf('allowlist'),
      webhookRatePerMinute: this.#sourceOf('webhookRatePerMinute', limits),
      failedAuthPerMinute: this.#sourceOf('failedAuthPerMinute', limits),
    };
  }

  set<N extends keyof ControlValues>(name: N, change: ControlChanges[N], actor: string): Promise<void> {
    return this.#changes.run(() => this.#change(name, change, actor));
  }

  watch(listener: (values: ControlValues, actor?: string) => void): void {
    this.#listeners.push(listener);
    listener(this.#values);
  }

  async #change<N extends keyof ControlValues>(name: N, wanted: ControlChanges[N], actor: string): Promise<void> {
    const named = name === 'limits' ? Object.keys(wanted) : [name];
    const ruled = named.find((each) => this.#rulerOf(each) !== undefined);
    if (ruled !== undefined) throw new SettingFromEnvironment(ruled as RuledControl);
    const atMs = this.#options.nowMs();
    const before = this.#values;
    const kept =
      name === 'killSwitch' ? dated(wanted as KillSwitch, before.killSwitch, atMs) : this.#merged(name, wanted);
    const after = this.#inForce({ ...this.#found, [name]: kept });
    const entry = { atMs, actor, setting: name, before: auditText(before[name]), after: auditText(after[name]) };
    this.#changing = name;
    try {
      await this.#options.store.set(name, JSON.stringify(kept), entry);
    } finally {
      this.#changing = undefined;
    }
    // Where others write too, one of them may have been quicker than the answer.
    this.#take(this.#options.store.watch ? this.#stored() : { ...this.#found, [name]: kept });
    this.#tell(actor);
  }

  #tell(actor?: string): void {
    for (const listener of this.#listeners) listener(this.#values, actor);
  }

  /** What was found stored is in force. Returns what has changed. */
  #take(found: Partial<ControlChanges>): readonly (keyof ControlValues)[] {
    this.#found = found;
    const [values, next] = [this.#values, this.#inForce(found)];
    const changed = CONTROLS.filter((name) => JSON.stringify(next[name]) !== JSON.stringify(values[name]));
    // What did not change stays the same object: whoever watches compares.
    this.#values = Object.freeze({ ...values, ...Object.fromEntries(changed.map((name) => [name, next[name]])) });
    return changed;
  }

  #stored(): Partial<ControlChanges> {
    const found = CONTROLS.flatMap((name) => readStored(this.#options.store, name));
    return Object.fromEntries(found.filter(([name]) => this.#rulerOf(name) === undefined));
  }

  #inForce(found: Partial<ControlChanges>): ControlValues {
    const { initial } = this.#options;
    const limits = { ...initial.limits, ...found.limits };
    if (this.#rulerOf('webhookRatePerMinute') !== undefined)
      limits.webhookRatePerMinute = initial.limits.webhookRatePerMinute;
    return Object.freeze({ ...initial, ...found, limits });
  }

  /** Limits that are not named stay as they are. */
  #merged(name: keyof ControlValues, change: ControlChanges[keyof ControlValues]): unknown {
    return name === 'limits' ? { ...this.#found.limits, ...(change as Partial<Limits>) } : change;
  }

  #rulerOf(name: string): RulingSource | undefined {
    return this.#options.ruledBy?.[name as RuledControl];
  }

  #sourceOf(name: string, kept: object = this.#found): ControlSource {
    return this.#rulerOf(name) ?? (Object.hasOwn(kept, name) ? 'stored' : 'default');
  }
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
