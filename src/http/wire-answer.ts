// Writes an answer out as the one string that goes on the wire, byte for byte what node:http would send.
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import { type Answer, encodeAnswer, encodeBody, plainHeaders } from './answer.ts';

export interface WireAnswer {
  readonly status: number;
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
  // The connection closes after it.
  readonly isLast: boolean;
}

export type WriteOut = (answer: Answer, requestId: string, isLast: boolean) => WireAnswer;

export interface WireOptions {
  // The wall clock, for the Date header.
  nowMs: () => number;
  keepAliveTimeoutMs: number;
}

// Neither can stand in a header of ours, so they mark where the two changing values go.
const LENGTH_MARK = '<length>';
const ID_MARK = '<id>';
const [UNTIL_LENGTH = '', UNTIL_ID = '', UNTIL_DATE = ''] = headerLines(plainHeaders(LENGTH_MARK, ID_MARK)).split(
  /<length>|<id>/,
);

export function createWriteOut({ nowMs, keepAliveTimeoutMs }: WireOptions): WriteOut {
  const date = createDateLine(nowMs);
  const goesOn = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n\r\n`;
  const ends = 'Connection: close\r\n\r\n';
  return (answer, requestId, isLast) => {
    if (answer.headers !== undefined)
      return writeWithHeaders(answer, requestId, isLast, date(), isLast ? ends : goesOn);
    const { text, encoding, length } = encodeBody(answer);
    const { status } = answer;
    const head = `${statusLine(status)}${UNTIL_LENGTH}${length}${UNTIL_ID}${requestId}${UNTIL_DATE}`;
    return { status, text: `${head}${date()}${isLast ? ends : goesOn}${text}`, encoding, isLast };
  };
}

function writeWithHeaders(
  answer: Answer,
  requestId: string,
  isLast: boolean,
  date: string,
  connection: string,
): WireAnswer {
  const { status, text, encoding, headers } = encodeAnswer(answer, requestId);
  const closes = headers.some((name, i) => i % 2 === 0 && name === 'connection');
  const head = `${statusLine(status)}${headerLines(headers)}${date}${closes ? '\r\n' : connection}`;
  return { status, text: head + text, encoding, isLast: isLast || closes };
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
}

function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

// The date changes once a second, requests come far more often.
function createDateLine(nowMs: () => number): () => string {
  let second = -1;
  let line = '';
  return () => {
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) {
      second = now;
      line = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
    }
    return line;
  };
}
