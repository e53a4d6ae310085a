// The ways by which the owner hears of things: how each is doing, and a test by all of them.

import { z } from 'zod';
import type { Endpoint } from '../../http/endpoint.ts';
import { NOTICE_TOPICS, type NoticeTopic } from '../../trading/books/outbox.ts';
import { answer, TAGS } from './admin-answers.ts';
import { ok } from './responses.ts';
import { described } from './schemas.ts';

/** One way, as whoever runs it tells of it. */
export interface NotifierState {
  readonly channel: string;
  readonly topics: readonly NoticeTopic[];
  readonly state: 'idle' | 'working' | 'failing' | 'refused';
  readonly count: number;
  readonly oldestAtMs: number | undefined;
  readonly lastDeliveredAtMs: number | undefined;
  readonly lastFailure: { readonly atMs: number; readonly error: string } | undefined;
}

export interface NotifierDeps {
  readonly states: () => Promise<readonly NotifierState[]>;
  readonly test: () => Promise<readonly { readonly channel: string; readonly error?: string }[]>;
}

export const notifierSchema = z.object({
  channel: described(z.string(), 'telegram, discord, ntfy, mail or webhook'),
  notices: described(z.array(z.enum(NOTICE_TOPICS)), 'What it is told'),
  state: described(
    z.enum(['idle', 'working', 'failing', 'refused']),
    'idle: nothing was sent since the start; failing: tried again after growing pauses; refused: a setting is wrong',
  ),
  waiting: described(z.number().int(), 'Notices that have not arrived yet'),
  oldestWaitingAt: z.number().int().nullable(),
  lastDeliveredAt: described(z.number().int().nullable(), 'Since the start'),
  lastFailureAt: described(z.number().int().nullable(), 'Since the start'),
  lastFailure: z.string().nullable(),
});

export const testedNotifierSchema = z.object({
  channel: z.string(),
  delivered: z.boolean(),
  error: z.string().nullable(),
});

export const notifierEndpoints = ({ states, test }: NotifierDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/admin/notifiers',
    summary: 'The ways by which the owner is told, and how each is doing',
    tags: TAGS,
    responses: ok('One entry for each that is set', z.array(notifierSchema)),
    handler: async (c) => answer(c, (await states()).map(view)),
  },
  {
    method: 'post',
    path: '/admin/notifiers/test',
    summary: 'Send a test notice by every way, and tell what became of it',
    tags: TAGS,
    responses: ok('One entry for each that is set', z.array(testedNotifierSchema)),
    async handler(c) {
      const tried = await test();
      return answer(
        c,
        tried.map(({ channel, error }) => ({ channel, delivered: error === undefined, error: error ?? null })),
      );
    },
  },
];

const view = ({ channel, topics, state, count, oldestAtMs, lastDeliveredAtMs, lastFailure }: NotifierState) => ({
  channel,
  notices: topics,
  state,
  waiting: count,
  oldestWaitingAt: oldestAtMs ?? null,
  lastDeliveredAt: lastDeliveredAtMs ?? null,
  lastFailureAt: lastFailure?.atMs ?? null,
  lastFailure: lastFailure?.error ?? null,
});
