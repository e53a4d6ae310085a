// GET /events: what happened at the desk, newest first, or everything since a cursor; as a WebSocket, as it happens.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import {
  DESK_EVENT_KINDS,
  type DeskEvent,
  type DeskEventKind,
  type DeskEvents,
} from '../../trading/books/desk-events.ts';
import { TRADE_STATUSES } from '../../trading/books/trade-status.ts';
import { tellDeskEvent } from '../../trading/chat/desk-event-words.ts';
import { VENUE_MODES } from '../../trading/venue.ts';
import { kindsOf, MAX_MISSED, placeOf } from './event-socket.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described, wholeText } from './schemas.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

const cursor = z.string().min(1).max(64);

const eventsQuerySchema = z.strictObject({
  limit: described(wholeText(1, MAX_LIMIT).optional(), `${DEFAULT_LIMIT} when omitted`),
  kind: described(z.string().max(200).optional(), `Only these, with commas: ${DESK_EVENT_KINDS.join(', ')}`),
  before: described(cursor.optional(), 'Only events before this cursor, to page on'),
  after: described(cursor.optional(), 'Only events after this cursor, oldest first'),
});

export const eventSchema = z.object({
  cursor: described(z.string(), 'Its place; send it as after or before to go on from here'),
  at: described(z.number().int(), 'ms since 1970 UTC'),
  kind: z.enum(DESK_EVENT_KINDS),
  text: described(z.string(), 'What happened, in one plain sentence'),
  step: described(z.string().optional(), 'Of a trade: accepted, sending, or the state it has come to'),
  status: z.enum(TRADE_STATUSES).optional(),
  requestId: described(z.string().optional(), 'Of a trade: GET /trades/{requestId}'),
  clientOrderId: z.string().optional(),
  refusalId: described(z.string().optional(), 'In GET /refusals'),
  signalId: described(z.string().optional(), 'In GET /signals'),
  deploymentId: z.string().optional(),
  keyLabel: z.string().optional(),
  code: described(z.string().optional(), 'Why a signal was refused'),
  exchange: z.enum(EXCHANGES).optional(),
  mode: z.enum(VENUE_MODES).optional(),
  account: z.string().optional(),
  market: z.string().optional(),
  side: z.string().optional(),
  strategy: z.string().optional(),
  quantity: described(z.number().optional(), 'Of a position; 0 when it is closed'),
  entryPrice: z.number().optional(),
  equity: z.number().optional(),
  balance: z.number().optional(),
  setting: described(z.string().optional(), 'What was changed, as GET /admin/audit names it'),
  actor: described(z.string().optional(), 'Who changed it'),
  alarm: described(z.string().optional(), 'Which alarm: the same when it is raised and when it is over'),
  state: described(z.string().optional(), 'raised or over of an alarm; that of a deployment'),
});

const eventsSchema = z.object({
  events: described(z.array(eventSchema), 'Newest first; with after oldest first'),
  cursor: described(z.string(), 'Where to go on: as after, here or at the WebSocket'),
  gap: described(z.boolean(), 'Some of what came after the cursor is lost: read the lists anew'),
});

export interface EventsDeps {
  readonly events: Pick<DeskEvents, 'after' | 'before' | 'bounds' | 'cursorOf' | 'seqOf'>;
}

export const eventEndpoints = ({ events }: EventsDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/events',
    summary: 'What happened at the desk: a list, or as a WebSocket as it happens',
    description: `A WebSocket at the same address sends every event as it happens; with ?after= first what was missed, at most ${MAX_MISSED}.`,
    tags: ['Events'],
    query: eventsQuerySchema,
    responses: {
      ...ok('Events', eventsSchema),
      101: { description: 'The connection is a WebSocket from here on' },
      400: refused('INVALID_QUERY'),
      500: refused('STORAGE_FAILED'),
    },
    async handler(c) {
      const { limit = DEFAULT_LIMIT, kind, before, after } = readQuery(c, eventsQuerySchema);
      const kinds = kindsOf(kind ?? null);
      if (kinds === undefined) throw invalid(`kind: send some of ${DESK_EVENT_KINDS.join(', ')}, with commas`);
      if (before !== undefined && after !== undefined) throw invalid('before: cannot be sent with after, send one');
      const result =
        after === undefined
          ? await newest(events, { before, limit, kinds })
          : await since(events, { after, limit, kinds });
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

const invalid = (words: string): Refusal => new Refusal('INVALID_QUERY', words);

interface Wanted {
  readonly limit: number;
  readonly kinds: readonly DeskEventKind[];
}

async function newest(events: EventsDeps['events'], { before, limit, kinds }: Wanted & { before: string | undefined }) {
  const bounds = await events.bounds();
  const end = before === undefined ? bounds.newest + 1 : events.seqOf(before);
  if (end === undefined) throw invalid('before: is no cursor of these events, send one of an event in the list');
  const found = await events.before(end, limit, kinds.length === DESK_EVENT_KINDS.length ? [] : kinds);
  return { events: found.map((event) => view(events, event)), cursor: events.cursorOf(bounds.newest), gap: false };
}

/** Events of other kinds are passed over, and the cursor with them. */
async function since(events: EventsDeps['events'], { after, limit, kinds }: Wanted & { after: string }) {
  const { position, gap } = await placeOf(after, events, Number.POSITIVE_INFINITY);
  const read = await events.after(position, limit);
  const found = read.map((event) => ({ seq: event.seq, shown: view(events, event) }));
  return {
    events: found.flatMap(({ shown }) => (kinds.includes(shown.kind) ? [shown] : [])),
    cursor: events.cursorOf(found.at(-1)?.seq ?? position),
    gap,
  };
}

const view = (events: EventsDeps['events'], event: DeskEvent): z.infer<typeof eventSchema> => ({
  cursor: events.cursorOf(event.seq),
  ...(tellDeskEvent(event) as unknown as Omit<z.infer<typeof eventSchema>, 'cursor'>),
});
