// The id a script gets when its client chooses none: a UUID of version 7, so that ids sort by the time they were made.

const RANDOM_BYTES = 10;
const LARGEST_TIME_MS = 2 ** 48 - 1;

export interface ScriptIdOptions {
  readonly nowMs: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export function newScriptId({ nowMs, randomBytes }: ScriptIdOptions): string {
  const bytes = Buffer.alloc(16);
  // A clock before 1970 or past the year 10889 is wrong; the random part alone still makes the id unique.
  bytes.writeUIntBE(Math.min(Math.max(Math.trunc(nowMs()), 0), LARGEST_TIME_MS), 0, 6);
  bytes.set(randomBytes(RANDOM_BYTES), 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
