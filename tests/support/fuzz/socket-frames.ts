// Frames of WebSockets, good ones and others: fragments, wrong masks, lengths that lie, control frames, text that is no UTF-8.

import type { Random } from '../random.ts';
import { mutated, oddJson, oddValue } from './odd-values.ts';

interface FrameParts {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly isFinal?: boolean;
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** What the head says, where that is not what comes. */
  readonly length?: number;
  /** In 2 or 8 bytes, where fewer would do. */
  readonly lengthBytes?: 0 | 2 | 8;
}

const TEXT = 1;
const CONTINUATION = 0;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const KEY = Buffer.from([1, 2, 3, 4]);

export function frameBytes(parts: FrameParts): Buffer {
  const { opcode, payload, isFinal = true, reserved = 0, isMasked = true, length = payload.length } = parts;
  const { lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8 } = parts;
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = (isFinal ? 0x80 : 0) | (reserved << 4) | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (lengthBytes === 0 ? length & 0x7f : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) head.writeUInt16BE(length & 0xffff, 2);
  if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(length), 2);
  if (!isMasked) return Buffer.concat([head, payload]);
  return Buffer.concat([head, KEY, payload.map((byte, at) => byte ^ (KEY[at & 3] ?? 0))]);
}

const ACTIONS: readonly [object, ...object[]] = [
  { action: 'ping' },
  { action: 'subscribe', symbol: 'BTCUSDT', interval: '1m' },
  { action: 'subscribe', symbol: 'ETH/USDT', interval: '45m' },
  { action: 'unsubscribe', symbol: 'BTCUSDT', interval: '1m' },
  { action: 'unsubscribe' },
  { type: 'ping', id: 1 },
  {
    type: 'run',
    id: 'a',
    script: '//@version=6\nindicator("x")\nplot(close)',
    data: [{ time: 1_700_000_000_000, open: 1, high: 2, low: 1, close: 2, volume: 1 }],
  },
];

/** One or a few frames that belong together. */
export function randomFrames(random: Random): Buffer {
  const action = random.of(ACTIONS);
  const json = JSON.stringify(random.chance(40) ? action : mutated(action, random)) ?? '';
  const payload = Buffer.from(random.chance(15) ? oddJson(json, random).slice(0, 70_000) : json);
  const noise = Buffer.from(Array.from({ length: random.between(0, 200) }, () => random.between(0, 255)));
  const text = (more: Partial<FrameParts> = {}): Buffer => frameBytes({ opcode: TEXT, payload, ...more });
  return random.of([
    () => text(),
    () => text(),
    () => text(),
    () => Buffer.from(frameBytes({ opcode: TEXT, payload: Buffer.from(JSON.stringify(oddValue(random)) ?? '') })),
    () => fragments(payload, random),
    () => frameBytes({ opcode: TEXT, payload: noise }),
    () => text({ isMasked: false }),
    () => text({ reserved: random.between(1, 7) }),
    () => text({ lengthBytes: random.of([2, 8]) }),
    () => text({ length: random.of([2 ** 31, 2 ** 53 - 1, payload.length + 1, 70_000]), lengthBytes: 8 }),
    () => frameBytes({ opcode: random.between(0, 15), payload, isFinal: random.chance(70) }),
    () => frameBytes({ opcode: BINARY, payload: noise }),
    () => frameBytes({ opcode: PING, payload: noise.subarray(0, 125) }),
    () => frameBytes({ opcode: PONG, payload: noise }),
    () => frameBytes({ opcode: PING, payload: noise, isFinal: false }),
    () => frameBytes({ opcode: CLOSE, payload: noise.subarray(0, random.between(0, 5)) }),
    () => noise,
  ])();
}

/** A text in pieces with a ping among them, as the protocol allows, and now and then as it does not. */
function fragments(payload: Buffer, random: Random): Buffer {
  const at = random.between(0, payload.length);
  const [first, rest] = [payload.subarray(0, at), payload.subarray(at)];
  const isWrong = random.chance(30);
  return Buffer.concat([
    frameBytes({ opcode: isWrong ? CONTINUATION : TEXT, payload: first, isFinal: false }),
    frameBytes({ opcode: PING, payload: Buffer.from('x') }),
    frameBytes({ opcode: isWrong && random.chance(50) ? TEXT : CONTINUATION, payload: rest }),
  ]);
}
