// The sessions over their store: opened by a login, looked at with every request, listed, and ended. Rules: session.ts.

import { AccessFault } from './access-fault.ts';
import type { AccessAuditEntry, AccessStore, AccessWrites } from './access-store.ts';
import {
  endOf,
  newSession,
  readCookie,
  type Session,
  type SessionOrigin,
  type ShownCookie,
  type Step,
  type Use,
  useSession,
} from './session.ts';

export interface AccessParts {
  readonly store: AccessStore;
  readonly nowMs: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** A session that cannot be written down still lets its owner in: he may need the kill switch. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface SessionCookie {
  readonly value: string;
  readonly maxAgeSeconds: number;
}

export interface SessionUse {
  readonly id: string;
  /** The new one, where it was replaced. */
  readonly cookie?: SessionCookie | undefined;
}

export interface ListedSession {
  readonly id: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  readonly endsAtMs: number;
  readonly address: string;
  readonly userAgent: string;
}

/** More browsers than one owner has; the one that was not used for longest goes first. */
const MAX_SESSIONS = 50;
const BY_TIME = 'by time';
const ENDED = { expired: BY_TIME, stolen: 'an old cookie was shown again; the cookie may be copied' };

export class Sessions {
  readonly #parts: AccessParts;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** Part of the step that has checked who it is. */
  open(rows: AccessWrites, origin: SessionOrigin, actor: string): SessionUse & { readonly cookie: SessionCookie } {
    const nowMs = this.#parts.nowMs();
    const { session, cookie } = newSession(origin, { nowMs, randomBytes: this.#parts.randomBytes });
    for (const gone of superfluous(rows.sessions(), nowMs)) {
      rows.removeSession(gone.id);
      const ended = endOf(gone) <= nowMs ? BY_TIME : `there are ${MAX_SESSIONS} others that were used later`;
      rows.audit(this.#entry(actor, viewOf(gone), { ended }));
    }
    rows.insertSession(session);
    rows.audit(this.#entry(actor, null, viewOf(session)));
    return { id: session.id, cookie: cookieOf(cookie, session, nowMs) };
  }

  /** Undefined where the cookie lets nobody in. */
  async use(
    text: string,
    from: { readonly address: string; readonly mayRotate: boolean },
  ): Promise<SessionUse | undefined> {
    const { store } = this.#parts;
    const shown = readCookie(text);
    const session = shown && (await store.session(shown.familyDigest));
    if (shown === undefined || session === undefined || (await store.password()) === undefined) return undefined;
    const use = { ...from, nowMs: this.#parts.nowMs() };
    const step = useSession(session, shown, use);
    if (step.kind === 'in' && step.session === session) return usedOf(step, use.nowMs);
    return step.kind === 'in' ? this.#keep(session, shown, use) : this.#end(shown, use);
  }

  /** Newest use first. */
  async list(): Promise<readonly ListedSession[]> {
    const sessions = await this.#parts.store.sessions();
    const nowMs = this.#parts.nowMs();
    const living = sessions.filter((session) => endOf(session) > nowMs);
    return living.map(viewOf).sort((a, b) => b.lastUsedAtMs - a.lastUsedAtMs);
  }

  async end(id: string, actor: string): Promise<ListedSession> {
    const ended = await this.#parts.store.change((rows) => this.endAll(rows, actor, (session) => session.id === id)[0]);
    if (ended === undefined)
      throw new AccessFault('SESSION_NOT_FOUND', 'no session has this id; GET /sessions lists them');
    return ended;
  }

  /** All but one, or all. */
  endOthers(ownId: string | undefined, actor: string): Promise<readonly ListedSession[]> {
    return this.#parts.store.change((rows) => this.endAll(rows, actor, ({ id }) => id !== ownId));
  }

  /** Part of a step. */
  endAll(rows: AccessWrites, actor: string, which: (session: Session) => boolean): readonly ListedSession[] {
    return rows
      .sessions()
      .filter(which)
      .map((session) => {
        rows.removeSession(session.id);
        rows.audit(this.#entry(actor, viewOf(session), null));
        return viewOf(session);
      });
  }

  /** One that cannot be written down lets its owner in all the same, without a new cookie. */
  async #keep(session: Session, shown: ShownCookie, use: Use): Promise<SessionUse | undefined> {
    try {
      return await this.#settle(shown, use);
    } catch (error) {
      this.#parts.onTrouble('the use of a session could not be written down', error);
      return { id: session.id };
    }
  }

  /** One that cannot be removed is refused all the same, and the next time too. */
  async #end(shown: ShownCookie, use: Use): Promise<SessionUse | undefined> {
    try {
      return await this.#settle(shown, use);
    } catch (error) {
      this.#parts.onTrouble('an ended session could not be removed', error);
      return undefined;
    }
  }

  /**
   * By the row as it is in this step. Calls with one cookie come at the same moment: the later one must not bring back what
   * the first has replaced, or the new cookie of the first would look stolen.
   */
  #settle(shown: ShownCookie, use: Use): Promise<SessionUse | undefined> {
    return this.#parts.store.change((rows) => {
      const session = rows.session(shown.familyDigest);
      if (session === undefined) return undefined;
      const step = useSession(session, shown, use);
      if (step.kind !== 'in') {
        rows.removeSession(session.id);
        rows.audit(this.#entry(`session ${use.address}`, viewOf(session), { ended: ENDED[step.kind] }));
        return undefined;
      }
      if (step.session !== session) rows.updateSession(step.session);
      return usedOf(step, use.nowMs);
    });
  }

  #entry(actor: string, before: object | null, after: object | null): AccessAuditEntry {
    const text = (value: object | null): string | null => value && JSON.stringify(value);
    return { atMs: this.#parts.nowMs(), actor, setting: 'session', before: text(before), after: text(after) };
  }
}

const viewOf = (session: Session): ListedSession => ({
  id: session.id,
  createdAtMs: session.createdAtMs,
  lastUsedAtMs: session.lastUsedAtMs,
  endsAtMs: endOf(session),
  address: session.address,
  userAgent: session.userAgent,
});

const cookieOf = (value: string, session: Session, nowMs: number): SessionCookie => ({
  value,
  maxAgeSeconds: Math.floor((endOf({ ...session, lastUsedAtMs: nowMs }) - nowMs) / 1000),
});

const usedOf = ({ session, cookie }: Extract<Step, { kind: 'in' }>, nowMs: number): SessionUse => ({
  id: session.id,
  ...(cookie !== undefined && { cookie: cookieOf(cookie, session, nowMs) }),
});

/** Those that have ended by time, and those without which there is room for one more. */
function superfluous(sessions: readonly Session[], nowMs: number): readonly Session[] {
  const ended = sessions.filter((session) => endOf(session) <= nowMs);
  const living = sessions.filter((session) => endOf(session) > nowMs).sort((a, b) => a.lastUsedAtMs - b.lastUsedAtMs);
  return [...ended, ...living.slice(0, Math.max(0, living.length - MAX_SESSIONS + 1))];
}
