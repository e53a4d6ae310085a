// Keccak-256 as Ethereum uses it: the hash of addresses, checksums and key files (SHA-3 before its padding changed).

import { keccak_256 } from '@noble/hashes/sha3';

export const keccak256 = (bytes: Uint8Array): Uint8Array => keccak_256(bytes);
