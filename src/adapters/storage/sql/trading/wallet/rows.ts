// Between rows and records of the wallet's ledger: wei are text in the file and whole numbers of any size outside.

import type { Address, ChainName, Hex } from '../../../../../wallet/chain.ts';
import type { Attempt, Entry, EntryDetails, EntryState, NewEntry, Operation } from '../../../../../wallet/ledger.ts';
import type { Row } from '../../sql.ts';

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

/** A new entry as its row has it: the names are those of the columns. */
export interface NewEntryColumns {
  readonly id: string;
  readonly request_id: string;
  readonly idempotency_key: string | null;
  readonly chain: string;
  readonly sender: string;
  readonly operation: string;
  readonly call_to: string;
  readonly value_wei: string;
  readonly data: string;
  readonly gas_limit: string;
  readonly nonce: number;
  readonly details: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export const entryColumns = (entry: NewEntry): NewEntryColumns => ({
  id: entry.id,
  request_id: entry.requestId,
  idempotency_key: entry.idempotencyKey ?? null,
  chain: entry.chain,
  sender: entry.from,
  operation: entry.operation,
  call_to: entry.call.to,
  value_wei: entry.call.valueWei.toString(),
  data: entry.call.data,
  gas_limit: entry.gasLimit.toString(),
  nonce: entry.nonce,
  details: JSON.stringify(entry.details),
  created_at: entry.atMs,
  updated_at: entry.atMs,
});

/** One signed form as its row has it. */
export interface AttemptColumns {
  readonly hash: string;
  readonly raw: string;
  readonly nonce: number;
  readonly max_fee: string;
  readonly max_priority_fee: string;
  readonly signed_at: number;
}

export const attemptColumns = (attempt: Attempt): AttemptColumns => ({
  hash: attempt.hash,
  raw: attempt.raw,
  nonce: attempt.nonce,
  max_fee: attempt.maxFeePerGas.toString(),
  max_priority_fee: attempt.maxPriorityFeePerGas.toString(),
  signed_at: attempt.signedAtMs,
});

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
