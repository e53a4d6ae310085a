// A question whose answer comes in pieces: server-sent events over one request, which can be given up.

import { type ErrorBody, jsonOf, NO_ANSWER, Refused, refusalOf } from './ask.ts';
import { TimeLimit } from './time-limit.ts';

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Takes text as it comes, cut anywhere, and returns the events that are whole by now. */
export class EventReader {
  #rest = '';

  read(text: string): readonly ServerEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap(eventOf);
  }
}

/** Lines that begin with a colon only keep the connection open. */
function eventOf(block: string): readonly ServerEvent[] {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trim()] as const;
    }),
  );
  const [event, data] = [fields.get('event'), fields.get('data')];
  return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) }];
}

export interface EventQuestion {
  readonly body: object;
  readonly signal: AbortSignal;
  readonly onEvent: (event: ServerEvent) => void;
}

/** A model may think for long before its first word, with looks at data before it. */
const FIRST_WITHIN_MS = 300_000;
/** From then on the server says something every 15 seconds. */
const SILENT_MS = 60_000;

/** Resolves when the answer is over; a refusal before its first piece rejects, as ask() does. */
export async function askEvents(path: string, { body, signal, onEvent }: EventQuestion): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const limit = new TimeLimit(FIRST_WITHIN_MS, signal);
  try {
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body), signal: limit.signal });
    if (!response.ok || response.body === null)
      throw refusalOf(response, jsonOf(await response.text()) as ErrorBody | undefined, true);
    const reader = new EventReader();
    const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read()) {
      limit.restart(SILENT_MS);
      for (const event of reader.read(chunk.value)) onEvent(event);
    }
  } catch (error) {
    if (error instanceof Refused || signal.aborted) throw error;
    throw new Refused(limit.isOver ? limit.words : NO_ANSWER, { status: 0 });
  } finally {
    limit.clear();
  }
}
