// Between rows and records of the wallet's ledger: wei are text in the file and whole numbers of any size outside.

import type { Address, ChainName, Hex } from '../../../../wallet/chain.ts';
import type { Attempt, Entry, EntryDetails, EntryState, NewEntry, Operation } from '../../../../wallet/ledger.ts';
import type { Row } from '../database.ts';

type Mined = NonNullable<Entry['mined']>;

export const minedText = (mined: Mined): string =>
  JSON.stringify(mined, (_, value) => (typeof value === 'bigint' ? value.toString() : value));

function minedOf(text: string): Mined {
  const { blockNumber, gasUsed, effectiveGasPrice, amountOut, ...rest } = JSON.parse(text);
  return {
    ...rest,
    blockNumber: BigInt(blockNumber),
    gasUsed: BigInt(gasUsed),
    effectiveGasPrice: BigInt(effectiveGasPrice),
    ...(amountOut === undefined ? {} : { amountOut: BigInt(amountOut) }),
  };
}

export const entryColumns = (entry: NewEntry): (string | number | null)[] => [
  entry.id,
  entry.requestId,
  entry.idempotencyKey ?? null,
  entry.chain,
  entry.from,
  entry.operation,
  entry.call.to,
  entry.call.valueWei.toString(),
  entry.call.data,
  entry.gasLimit.toString(),
  entry.nonce,
  JSON.stringify(entry.details),
  entry.atMs,
  entry.atMs,
];

export const attemptOf = (row: Row): Attempt => ({
  hash: row.hash as Hex,
  raw: row.raw as Hex,
  nonce: row.nonce as number,
  maxFeePerGas: BigInt(row.max_fee as string),
  maxPriorityFeePerGas: BigInt(row.max_priority_fee as string),
  signedAtMs: row.signed_at as number,
});

export const entryOf = (row: Row, attempts: readonly Attempt[]): Entry => ({
  seq: row.seq as number,
  id: row.id as string,
  requestId: row.request_id as string,
  ...(row.idempotency_key === null ? {} : { idempotencyKey: row.idempotency_key as string }),
  chain: row.chain as ChainName,
  from: row.sender as Address,
  operation: row.operation as Operation,
  call: { to: row.call_to as Address, valueWei: BigInt(row.value_wei as string), data: row.data as Hex },
  gasLimit: BigInt(row.gas_limit as string),
  nonce: row.nonce as number,
  state: row.state as EntryState,
  details: JSON.parse(row.details as string) as EntryDetails,
  attempts,
  ...(row.mined === null ? {} : { mined: minedOf(row.mined as string) }),
  ...(row.error === null ? {} : { error: row.error as string }),
  atMs: row.created_at as number,
  updatedAtMs: row.updated_at as number,
});
