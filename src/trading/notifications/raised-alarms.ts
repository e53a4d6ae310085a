// The alarms that are raised now: each is logged, sent to the owner where there is a way, and shown while it lasts.
//
// An alarm begins when it is first raised. It is over when whoever raised it says so, or when nobody has raised it again
// for a while: most causes are only noticed when something is tried, so their silence is the only sign that they have gone.

import type { OnAlarm } from './alarm.ts';

/** Longer than any pause between two tries, and than the minutes in which an operator looks at /ready. */
const LASTS_MS = 10 * 60_000;
/** The same words again are news once a minute; a trade that waits tries every five seconds. */
const REPEAT_MS = 60_000;
/** Kinds name venues and markets, which others can make up; the oldest gives way. */
const MAX_ALARMS = 200;

export interface RaisedAlarm {
  readonly kind: string;
  readonly text: string;
  readonly sinceMs: number;
}

export interface RaisedAlarms {
  readonly raise: OnAlarm;
  /** The same for a cause that is watched: it lasts until `over`, and is news only once. */
  stand(kind: string, text: string): void;
  /** The cause has gone. Costs nothing when there is no such alarm. */
  over(kind: string): void;
  /** Oldest first. */
  current(): readonly RaisedAlarm[];
  /** From now on the owner is told here too. */
  sendTo(send: OnAlarm): void;
  /** Told when an alarm begins, when it says something else, at most once a minute, and when it is over. */
  watch(listener: AlarmListener): void;
}

export type AlarmListener = (alarm: Pick<RaisedAlarm, 'kind' | 'text'>, state: 'raised' | 'over') => void;

interface Kept extends RaisedAlarm {
  readonly lastMs: number;
  readonly loggedMs: number;
  /** What was last told to those who watch, and when. */
  readonly toldText: string;
  readonly toldMs: number;
}

export function createRaisedAlarms(options: {
  readonly nowMs: () => number;
  readonly log: {
    warn(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
}): RaisedAlarms {
  const { nowMs, log } = options;
  const alarms = new Map<string, Kept>();
  const receivers: OnAlarm[] = [];
  const listeners: AlarmListener[] = [];
  const tell: AlarmListener = (alarm, state) => {
    for (const listener of listeners) listener(alarm, state);
  };
  const forget = (alarm: RaisedAlarm): void => {
    alarms.delete(alarm.kind);
    tell(alarm, 'over');
  };
  const forgetOld = (): void => {
    for (const alarm of alarms.values()) if (nowMs() - alarm.lastMs >= LASTS_MS) forget(alarm);
  };
  return {
    raise(kind, text) {
      forgetOld();
      const atMs = nowMs();
      const known = alarms.get(kind);
      const isNews = known === undefined || known.text !== text || atMs - known.loggedMs >= REPEAT_MS;
      const oldest = alarms.values().next();
      if (known === undefined && alarms.size >= MAX_ALARMS && !oldest.done) forget(oldest.value);
      const loggedMs = isNews ? atMs : known.loggedMs;
      const isOther = known === undefined || (known.toldText !== text && atMs - known.toldMs >= REPEAT_MS);
      const told = isOther ? { toldText: text, toldMs: atMs } : { toldText: known.toldText, toldMs: known.toldMs };
      alarms.set(kind, { kind, text, sinceMs: known?.sinceMs ?? atMs, lastMs: atMs, loggedMs, ...told });
      if (isNews) log.warn({ alarm: kind }, text);
      if (isOther) tell({ kind, text }, 'raised');
      for (const send of receivers) send(kind, text);
    },
    stand(kind, text) {
      const known = alarms.get(kind);
      if (known === undefined) this.raise(kind, text);
      alarms.set(kind, { ...(alarms.get(kind) as Kept), text, lastMs: Number.POSITIVE_INFINITY });
    },
    over(kind) {
      const known = alarms.get(kind);
      if (known === undefined) return;
      forget(known);
      log.info({ alarm: kind, lastedMs: nowMs() - known.sinceMs }, `over: ${known.text}`);
    },
    current() {
      forgetOld();
      return [...alarms.values()].map(({ kind, text, sinceMs }) => ({ kind, text, sinceMs }));
    },
    sendTo: (send) => void receivers.push(send),
    watch: (listener) => void listeners.push(listener),
  };
}

/** For everybody who asks whether all is well. */
export const alarmInWords = ({ text, sinceMs }: RaisedAlarm): string =>
  `${text} (since ${new Date(sinceMs).toISOString()})`;
