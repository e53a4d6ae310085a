// What a call would do now: the gas it needs, or why it would fail.

import { numberToHex, toFunctionSelector } from 'viem/utils';
import type { Address, Call, Hex, Simulation } from '../../../wallet/chain.ts';
import { TOKEN_ABI } from './abis.ts';
import type { Endpoints } from './endpoints.ts';
import { refusalReason, TOO_FEW_COINS } from './revert-reason.ts';
import { NodeRefusal, numberOf } from './rpc-answer.ts';

/** Functions of tokens that may answer false instead of reverting. */
const ANSWERS_WHETHER = new Set<Hex>(
  TOKEN_ABI.filter(({ name }) => ['approve', 'transfer', 'transferFrom'].includes(name)).map((item) =>
    toFunctionSelector(item),
  ),
);
const SELECTOR_CHARS = 10;

export async function simulate(endpoints: Endpoints, from: Address, call: Call): Promise<Simulation> {
  const transaction = { from, to: call.to, value: numberToHex(call.valueWei), data: call.data };
  const [answer, estimate, balance] = await endpoints.askTogether([
    { method: 'eth_call', params: [transaction, 'latest'] },
    { method: 'eth_estimateGas', params: [transaction, 'latest'] },
    { method: 'eth_getBalance', params: [from, 'latest'] },
  ]);
  // The call tells the reason best; the estimate knows some limits the call does not.
  for (const outcome of [answer, estimate])
    if (outcome instanceof NodeRefusal) return { ok: false, reason: refusalReason(outcome) };
  const isTokenCall = ANSWERS_WHETHER.has(call.data.slice(0, SELECTOR_CHARS) as Hex);
  if (isTokenCall && typeof answer === 'string' && /^0x0{64}$/.test(answer))
    return { ok: false, reason: 'the token answers that it would not do it; check the balance and the allowance' };
  // Some nodes simulate a payment that the caller cannot make, so the balance is compared here too.
  if (call.valueWei > (numberOf(balance) ?? call.valueWei)) return { ok: false, reason: TOO_FEW_COINS };
  const gas = numberOf(estimate);
  if (gas === undefined) return { ok: false, reason: 'the endpoint tells no gas for it; try again in a moment' };
  return { ok: true, gas };
}
