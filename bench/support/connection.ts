// One kept-alive HTTP connection on a bare socket: sends a prepared request, reports the status of the answer.
import { connect, type Socket } from 'node:net';

export interface Connection {
  send(request: string): void;
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

export function openConnection({ host, port, onOpen, onAnswer, onLost }: ConnectionOptions): Connection {
  let status = 0;
  // Bytes of the current answer still to come; zero while its head is not whole.
  let missing = 0;
  let head = '';

  const read = (size: number, buffer: Uint8Array): boolean => {
    let at = 0;
    while (at < size) {
      if (missing === 0) at = readHead(buffer as Buffer, at, size);
      const step = Math.min(missing, size - at);
      at += step;
      missing -= step;
      if (missing === 0 && head === '') onAnswer(connection, status);
    }
    return true;
  };

  // Returns where the body starts, or the end of what has arrived.
  const readHead = (buffer: Buffer, at: number, size: number): number => {
    const before = head.length;
    head += buffer.toString('latin1', at, size);
    const end = head.indexOf(HEAD_END);
    if (end < 0) return size;
    status = Number(head.slice(9, 12));
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
    send: (request) => {
      socket.write(request, 'latin1');
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
