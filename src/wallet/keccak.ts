// Keccak-256 as Ethereum uses it: the hash of addresses, checksums and key files (SHA-3 before its padding changed).

const RATE_BYTES = 136;
const ROUNDS = 24;
const LANE = 0xffff_ffff_ffff_ffffn;

const ROTATIONS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const PLACES = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];
const ROUND_CONSTANTS = roundConstants();

/** From the shift register of the definition, so that no table can be mistyped. */
function roundConstants(): readonly bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let power = 0; power < 7; power++) {
      if (register & 1) constant |= 1n << BigInt((1 << power) - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

const rotate = (value: bigint, bits: number): bigint => ((value << BigInt(bits)) | (value >> BigInt(64 - bits))) & LANE;

function permute(state: bigint[]): void {
  const at = (index: number): bigint => state[index] as bigint;
  for (const constant of ROUND_CONSTANTS) {
    const columns = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20));
    for (let x = 0; x < 5; x++) {
      const mixed = (columns[(x + 4) % 5] as bigint) ^ rotate(columns[(x + 1) % 5] as bigint, 1);
      for (let y = 0; y < 25; y += 5) state[x + y] = at(x + y) ^ mixed;
    }
    let carried = at(1);
    PLACES.forEach((place, step) => {
      const next = at(place);
      state[place] = rotate(carried, ROTATIONS[step] as number);
      carried = next;
    });
    for (let y = 0; y < 25; y += 5) {
      const row = state.slice(y, y + 5) as [bigint, bigint, bigint, bigint, bigint];
      for (let x = 0; x < 5; x++)
        state[x + y] = (row[x] as bigint) ^ (~(row[(x + 1) % 5] as bigint) & LANE & (row[(x + 2) % 5] as bigint));
    }
    state[0] = at(0) ^ constant;
  }
}

export function keccak256(bytes: Uint8Array): Uint8Array {
  const padded = Buffer.alloc((Math.floor(bytes.length / RATE_BYTES) + 1) * RATE_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] as number) | 0x80;
  const state = new Array<bigint>(25).fill(0n);
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane++)
      state[lane] = (state[lane] as bigint) ^ padded.readBigUInt64LE(block + lane * 8);
    permute(state);
  }
  const digest = Buffer.alloc(32);
  for (let lane = 0; lane < 4; lane++) digest.writeBigUInt64LE(state[lane] as bigint, lane * 8);
  return digest;
}
