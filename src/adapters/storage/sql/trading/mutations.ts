// Every write the writer thread knows, by name.

import { beginLeaving, removeArchived } from './archive/mutations.ts';
import { guardResend, guardUnanswered } from './claims.ts';
import { addDeskEvents, beginDeskEvents } from './desk-event-mutations.ts';
import { keepEquity } from './equity-mutations.ts';
import { keepFunding } from './funding-mutations.ts';
import { accept, addSignal, adopt, durability, probe, record } from './journal-mutations.ts';
import { sending } from './order-rows.ts';
import { addDailyReport, postponeMessage, putUpNotices, settleMessages } from './outbox-mutations.ts';
import { paperCommit } from './paper-mutations.ts';
import { addVenueStop, removeVenueStop, writeDrawdownDay, writeProtections } from './protection/mutations.ts';
import { keepRefusals } from './refusal-mutations.ts';
import { changeTradeNote } from './trade-note-mutations.ts';
import { beginTwins, markTwin } from './twin-mark-mutations.ts';
import { walletReserve, walletSigned, walletStep } from './wallet/mutations.ts';

export const MUTATIONS = {
  accept,
  addDailyReport,
  addDeskEvents,
  addSignal,
  addVenueStop,
  adopt,
  beginDeskEvents,
  beginLeaving,
  beginTwins,
  changeTradeNote,
  durability,
  guardResend,
  guardUnanswered,
  keepEquity,
  keepFunding,
  keepRefusals,
  markTwin,
  paperCommit,
  postponeMessage,
  probe,
  putUpNotices,
  record,
  removeArchived,
  removeVenueStop,
  sending,
  settleMessages,
  walletReserve,
  walletSigned,
  walletStep,
  writeDrawdownDay,
  writeProtections,
};

export type Mutations = typeof MUTATIONS;
export type MutationName = keyof Mutations;
export type MutationArgs<N extends MutationName> = Parameters<Mutations[N]>[1];
export type MutationResult<N extends MutationName> = Awaited<ReturnType<Mutations[N]>>;
