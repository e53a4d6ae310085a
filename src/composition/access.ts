// Opens the owner's way in: password, sessions, and the endpoints about them; from then on a session passes the internal gate.

import { randomBytes } from 'node:crypto';
import { Access } from '../access/access.ts';
import type { AccessStore } from '../access/access-store.ts';
import { Passwords } from '../access/password.ts';
import type { App } from '../http/app.ts';
import { internalGates, isLoopbackAddress } from '../http/internal-auth.ts';
import { createLoginLimit } from '../http/login-limit.ts';
import { mountEndpoints } from '../http/mount-endpoints.ts';
import { sessionEndpoints } from '../services/dashboard/session-endpoints.ts';
import { CHANGE_WORDS, FOLDER_WORDS, withStorageWords } from '../services/gateway/storage-refusal.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { ProcessContext } from './process-context.ts';

export interface SessionParts {
  readonly app: App;
  readonly context: Pick<ProcessContext, 'gate' | 'log'>;
  readonly store: AccessStore;
  readonly clock?: { readonly nowMs: () => number; readonly monotonicMs: () => number };
  /** Cheaper ones are for tests. */
  readonly passwords?: Passwords;
  readonly onTrouble: (what: string, error: unknown, requestId?: string) => void;
}

const REAL = { nowMs, monotonicMs };

export function openAccess(parts: Omit<SessionParts, 'app' | 'context'>): Access {
  const { store, onTrouble, clock = REAL, passwords = new Passwords({ randomBytes }) } = parts;
  return new Access({ store, nowMs: clock.nowMs, randomBytes, onTrouble, passwords });
}

export function openSessions(parts: SessionParts): void {
  const { app, context, clock = REAL, onTrouble } = parts;
  const { gate, log } = context;
  const access = openAccess(parts);
  gate.admitSessions(access.sessions);
  const isKnown = (address: string): boolean =>
    isLoopbackAddress(address) || access.sessions.list().some((session) => session.address === address);
  const limit = createLoginLimit({ monotonicMs: clock.monotonicMs, isKnown });
  const onWrong = (address: string): void => log.warn({ clientAddress: address }, 'a wrong password or code');
  const onFault = (error: unknown, requestId: string): void =>
    onTrouble('the owner’s database failed at a session', error, requestId);
  const endpoints = sessionEndpoints({ access, gate, limit, onWrong }).map((endpoint) =>
    withStorageWords(endpoint, onFault, endpoint.method === 'get' ? FOLDER_WORDS : CHANGE_WORDS),
  );
  mountEndpoints(app, endpoints, internalGates(gate));
}
