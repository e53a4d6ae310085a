// An access store in memory, whose writes can be made to fail.

import { StorageError } from '../../errors/storage-error.ts';
import type { AccessAuditEntry, AccessStore, AccessWrites, OwnerPassword } from '../access-store.ts';
import type { Session } from '../session.ts';

interface State {
  password: OwnerPassword | undefined;
  sessions: readonly Session[];
  audit: readonly AccessAuditEntry[];
}

export interface MemoryAccessStore extends AccessStore {
  /** The disk is full. */
  isFull: boolean;
  /** Everything there is, as a thief of the disk would see it. */
  readonly state: State;
}

export function memoryAccessStore(): MemoryAccessStore {
  let state: State = { password: undefined, sessions: [], audit: [] };
  const rows: AccessWrites = {
    password: () => state.password,
    session: (familyDigest) => state.sessions.find((session) => session.familyDigest === familyDigest),
    sessions: () => state.sessions,
    putPassword(password) {
      state = { ...state, password };
    },
    insertSession(session) {
      state = { ...state, sessions: [...state.sessions, session] };
    },
    updateSession(session) {
      state = { ...state, sessions: state.sessions.map((each) => (each.id === session.id ? session : each)) };
    },
    removeSession(id) {
      state = { ...state, sessions: state.sessions.filter((session) => session.id !== id) };
    },
    audit(entry) {
      state = { ...state, audit: [...state.audit, entry] };
    },
  };
  return {
    isFull: false,
    get state() {
      return state;
    },
    password: async () => rows.password(),
    session: async (familyDigest) => rows.session(familyDigest),
    sessions: async () => rows.sessions(),
    async change(work) {
      if (this.isFull) throw new StorageError('the disk is full');
      const before = state;
      try {
        return work(rows);
      } catch (error) {
        state = before;
        throw error;
      }
    },
  };
}
