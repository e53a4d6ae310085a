// The controls a trader turns while the gateway runs: stored, so they survive restarts; audited; in force at once.

export const QUEUE_MODES = ['direct', 'async', 'failover'] as const;
export type QueueMode = (typeof QUEUE_MODES)[number];

export const KILL_SCOPES = ['all', 'entries'] as const;
export interface KillSwitch {
  readonly active: boolean;
  /** `entries` still lets positions be closed. */
  readonly scope: (typeof KILL_SCOPES)[number];
  readonly reason?: string;
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

export interface AuditEntry {
  readonly atMs: number;
  readonly actor: string;
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The settings port. Writes are durable when the call returns; a change and its audit entry are one transaction. */
export interface SettingsStore {
  get(name: string): string | undefined;
  set(name: string, value: string, entry: AuditEntry): void;
  /** For changes whose values live elsewhere (keys). */
  appendAudit(entry: AuditEntry): void;
  /** Newest first. */
  audit(limit: number): readonly AuditEntry[];
}

export interface Controls {
  current(): ControlValues;
  set<N extends keyof ControlValues>(name: N, value: ControlValues[N], actor: string): void;
  /** Called at once with the present values and again after every change. */
  watch(listener: (values: ControlValues) => void): void;
}

export function createControls(options: {
  store: SettingsStore;
  /** What holds until somebody sets a control: environment and defaults. */
  initial: ControlValues;
  nowMs: () => number;
}): Controls {
  const { store, initial, nowMs } = options;
  const stored = <N extends keyof ControlValues>(name: N): ControlValues[N] => {
    const text = store.get(name);
    return text === undefined ? initial[name] : (JSON.parse(text) as ControlValues[N]);
  };
  let values: ControlValues = Object.freeze({
    killSwitch: stored('killSwitch'),
    queueMode: stored('queueMode'),
    allowlist: stored('allowlist'),
    limits: stored('limits'),
  });
  const listeners: ((values: ControlValues) => void)[] = [];

  return {
    current: () => values,
    set(name, value, actor) {
      const before = JSON.stringify(values[name]);
      const after = JSON.stringify(value);
      store.set(name, after, { atMs: nowMs(), actor, setting: name, before, after });
      values = Object.freeze({ ...values, [name]: value });
      for (const listener of listeners) listener(values);
    },
    watch(listener) {
      listeners.push(listener);
      listener(values);
    },
  };
}
