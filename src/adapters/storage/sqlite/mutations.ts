// Every write the writer thread knows, by name.

import {
  accept,
  addSignal,
  adopt,
  durability,
  guardResend,
  guardUnanswered,
  postponeMessage,
  probe,
  record,
  settleMessage,
} from './journal-mutations.ts';
import { sending } from './order-rows.ts';
import { paperCommit } from './paper-mutations.ts';
import { keepRefusals } from './refusal-mutations.ts';

export const MUTATIONS = {
  accept,
  addSignal,
  adopt,
  durability,
  guardResend,
  guardUnanswered,
  keepRefusals,
  paperCommit,
  postponeMessage,
  probe,
  record,
  sending,
  settleMessage,
};

export type Mutations = typeof MUTATIONS;
export type MutationName = keyof Mutations;
export type MutationArgs<N extends MutationName> = Parameters<Mutations[N]>[1];
export type MutationResult<N extends MutationName> = ReturnType<Mutations[N]>;
