// Sends signed transactions and reads what the network says to them, so that what may have arrived is never taken as lost.

import { ChainUnreachable, type Hex, type SendOutcome, type SignedTransaction } from '../../../wallet/chain.ts';
import type { Endpoints } from './endpoints.ts';
import { TOO_FEW_COINS } from './revert-reason.ts';
import { NodeRefusal } from './rpc-answer.ts';
import { askSurely } from './rpc-endpoint.ts';

/** The words of geth, Erigon, Nethermind, Besu, Nitro, Bor and Hardhat. */
const KNOWN =
  /already known|alreadyknown|already imported|known transaction|already in (the )?(mem)?pool|same hash|already exists/i;
const STALE = /nonce (is )?too low|nonce_too_low|oldnonce|nonce.*already (been )?used|lower than the current nonce/i;
const UNDERPRICED =
  /underpriced|fee ?too ?low|feecap|maxfeepergas .*too low|less than block base fee|gas price (is )?(too low|below)|price.*(too low|below.*minimum)|feetoolow|replacement/i;
const NO_FUNDS = /insufficient funds|insufficient balance|insufficientfunds|upfront cost/i;

export async function sendRaw(endpoints: Endpoints, { hash, raw }: SignedTransaction): Promise<SendOutcome> {
  let mayHaveArrived = false;
  let outcome: SendOutcome;
  try {
    // The same bytes twice are one transaction: another endpoint may be tried whatever became of the first.
    await endpoints.tryEach(
      (endpoint) => endpoint.ask({ method: 'eth_sendRawTransaction', params: [raw] }),
      (trouble) => {
        mayHaveArrived ||= trouble.mayHaveArrived;
      },
    );
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    outcome = readRefusal(error.message);
  }
  if (outcome.kind === 'known') return outcome;
  // Perhaps it was in a block before it was sent again, or another endpoint took it and its answer was lost.
  if (await isKnown(endpoints, hash)) return { kind: 'known' };
  if (mayHaveArrived)
    throw new ChainUnreachable(
      `one endpoint may have taken the transaction ${hash}, and another refused it; ask for it again in a moment`,
    );
  return outcome;
}

export function readRefusal(message: string): SendOutcome {
  if (KNOWN.test(message)) return { kind: 'known' };
  if (STALE.test(message)) return { kind: 'stale-nonce' };
  if (NO_FUNDS.test(message)) return { kind: 'refused', reason: TOO_FEW_COINS };
  if (UNDERPRICED.test(message)) return { kind: 'underpriced', reason: message };
  return { kind: 'refused', reason: message };
}

/** Waiting transactions are not everywhere: one endpoint that has it is enough. */
export async function isKnown(endpoints: Endpoints, hash: Hex): Promise<boolean> {
  const answers = await endpoints.askEvery((endpoint) =>
    askSurely(endpoint, { method: 'eth_getTransactionByHash', params: [hash] }),
  );
  return answers.some((answer) => typeof answer === 'object' && answer !== null);
}
