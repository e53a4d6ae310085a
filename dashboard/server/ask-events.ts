// A question whose answer comes in pieces: server-sent events over one request, which can be given up.

import { Refused } from './ask.ts';

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

/** Resolves when the answer is over; a refusal before its first piece rejects, as ask() does. */
export async function askEvents(path: string, { body, signal, onEvent }: EventQuestion): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  if (!response.ok || response.body === null) {
    const answer = (await response.json().catch(() => ({}))) as { error?: string; code?: string };
    const words = answer.error ?? `Signalbox answered with status ${response.status}.`;
    throw new Refused(words, { status: response.status, ...(answer.code !== undefined && { code: answer.code }) });
  }
  const reader = new EventReader();
  const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read())
    for (const event of reader.read(chunk.value)) onEvent(event);
}
