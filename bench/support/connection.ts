// One kept-alive HTTP connection on a bare socket: sends a prepared request, reports the status of the answer.
import { connect, type Socket } from 'node:net';

export interface Connection {
  /** When the request under way was due; the load generator's own note. */
  dueMs: number;
  send(request: Buffer): void;
  close(): void;
}

export interface ConnectionOptions {
  host: string;
  port: number;
  onOpen: (connection: Connection) => void;
  onAnswer: (connection: Connection, status: number) => void;
  onLost: (connection: Connection) => void;
}

const READ_BUFFER_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const STATUS_AT = 'HTTP/1.1 '.length;
const ZERO_DIGIT = 48;

export function openConnection({ host, port, onOpen, onAnswer, onLost }: ConnectionOptions): Connection {
  let status = 0;
  // Bytes of the current answer still to come; zero while its head is not whole.
  let missing = 0;
  let head = '';
  /** Servers answer alike again and again: an answer as long as the last one has its length at the same place. */
  let lastSize = 0;
  let lastStatus = 0;

  const read = (size: number, buffer: Uint8Array): boolean => {
    if (size === lastSize && head === '' && missing === 0 && statusIn(buffer) === lastStatus) {
      onAnswer(connection, lastStatus);
      return true;
    }
    let at = 0;
    while (at < size) {
      if (missing === 0) at = readHead(buffer as Buffer, at, size);
      const step = Math.min(missing, size - at);
      at += step;
      missing -= step;
      if (missing === 0 && head === '') {
        if (at === size) {
          lastSize = size;
          lastStatus = status;
        }
        onAnswer(connection, status);
      }
    }
    return true;
  };

  // Returns where the body starts, or the end of what has arrived.
  const readHead = (buffer: Buffer, at: number, size: number): number => {
    const before = head.length;
    head += buffer.toString('latin1', at, size);
    const end = head.indexOf(HEAD_END);
    if (end < 0) return size;
    status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    missing = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
    head = '';
    return at + end + HEAD_END.length - before;
  };

  const socket: Socket = connect({
    host,
    port,
    noDelay: true,
    onread: { buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES), callback: read },
  });
  const connection: Connection = {
    dueMs: 0,
    send: (request) => {
      socket.write(request);
    },
    close: () => socket.destroy(),
  };
  let lost = false;
  const lose = (): void => {
    if (lost) return;
    lost = true;
    onLost(connection);
  };
  socket.on('connect', () => onOpen(connection));
  socket.on('error', lose);
  socket.on('close', lose);
  return connection;
}

const statusIn = (buffer: Uint8Array): number =>
  ((buffer[STATUS_AT] ?? 0) - ZERO_DIGIT) * 100 +
  ((buffer[STATUS_AT + 1] ?? 0) - ZERO_DIGIT) * 10 +
  (buffer[STATUS_AT + 2] ?? 0) -
  ZERO_DIGIT;
