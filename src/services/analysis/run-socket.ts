// WS /ws/run: carries the messages of one run session over one socket.

import type { SocketRoute } from '../../http/web-sockets.ts';
import { LARGE_BODY_LIMIT_BYTES } from './body-memory.ts';
import type { RunSession, SessionCaller } from './ws-run.ts';

export interface RunSocketOptions {
  readonly openRunSession: (caller: SessionCaller) => RunSession;
  readonly requestIds: () => string;
}

export function createRunSocket({ openRunSession, requestIds }: RunSocketOptions): SocketRoute {
  return {
    service: 'analysis',
    path: '/ws/run',
    maxMessageBytes: LARGE_BODY_LIMIT_BYTES,
    open(socket, { clientAddress }) {
      const session = openRunSession({ clientAddress, requestIds });
      return {
        async onUtf8(bytes) {
          const answer = await session.receive(bytes);
          if (answer !== undefined) socket.sendText(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength));
        },
        onClose: () => session.close(),
      };
    },
  };
}
