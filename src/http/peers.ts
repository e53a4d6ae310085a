// Who is at the other end of a connection: as its socket says, or the process of ours that hands the connection on.
import type { Socket } from 'node:net';

const told = new WeakMap<object, string>();

/** From now on this socket is a connection of that address. */
export const tellPeer = (socket: object, address: string): void => void told.set(socket, address);

/** Nobody knows it any more where the other end has left. */
export const peerOfSocket = (socket: Pick<Socket, 'remoteAddress'>): string | undefined =>
  told.get(socket) ?? socket.remoteAddress;
