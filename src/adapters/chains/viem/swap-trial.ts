// A swap tried without signing anything: what it would really take and bring, by the balances before and after it.
//
// One eth_call puts a small contract (swap-trial.sol) at the owner's own address, for the length of that call only. It
// approves, calls the router and compares balances, so that a token that keeps a part of every transfer is found out
// before even an approval costs money. Nodes call this a state override; every common one knows it.

import { decodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils';
import { ZERO_ADDRESS } from '../../../wallet/address.ts';
import type { Address, Hex, SwapQuote, SwapTrial } from '../../../wallet/chain.ts';
import type { Endpoints } from './endpoints.ts';
import { decodeRevert } from './revert-reason.ts';
import { NodeRefusal } from './rpc-answer.ts';
import { swapCall } from './swap-call.ts';

const TRIAL_ABI = parseAbi([
  'struct Order { address tokenIn; address tokenOut; address router; uint256 amountIn; uint256 value; bytes data; }',
  'function run(Order order) returns (bool ok, uint256 spent, uint256 received, bytes reason)',
]);
const ANSWER = [{ type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }] as const;

export async function trySwap(
  endpoints: Endpoints,
  owner: Address,
  quote: SwapQuote,
  deadlineS: number,
): Promise<SwapTrial> {
  // Whatever comes out: the caller compares it with its own bound, and can then say how much it would have been.
  const { to, valueWei, data } = swapCall(quote, { recipient: owner, minAmountOut: 1n, deadlineS });
  const tokenOf = (token: SwapQuote['tokenIn']): Address => (token === 'native' ? ZERO_ADDRESS : token);
  const order = {
    ...{ tokenIn: tokenOf(quote.tokenIn), tokenOut: tokenOf(quote.tokenOut), router: to },
    ...{ amountIn: quote.amountIn, value: valueWei, data },
  };
  const asked = { to: owner, data: encodeFunctionData({ abi: TRIAL_ABI, functionName: 'run', args: [order] }) };
  const [answer] = await endpoints.askTogether([
    { method: 'eth_call', params: [asked, 'latest', { [owner]: { code: TRIAL_CODE } }] },
  ]);
  return readAnswer(answer);
}

function readAnswer(answer: unknown): SwapTrial {
  if (answer instanceof NodeRefusal) return { ok: false, reason: `${CANNOT_TRY} (${answer.message})` };
  try {
    const [ok, spent, received, reason] = decodeAbiParameters(ANSWER, answer as Hex);
    return ok ? { ok, spent, received } : { ok, reason: decodeRevert(reason) };
  } catch {
    return { ok: false, reason: CANNOT_TRY };
  }
}

const CANNOT_TRY =
  'the endpoint cannot try swaps beforehand; use one whose eth_call takes state overrides, as those of geth do';

/** swap-trial.sol by solc 0.8.30 for the rules of Paris, optimised for size: what runs, without its deployment. */
const TRIAL_CODE: Hex = `0x${[
  '6080604052600436106100225760003560e01c8063995e26351461002e57600080fd5b3661002957005b600080fd5b34801561003a5760',
  '0080fd5b5061004e61004936600461034a565b610067565b60405161005e94939291906103af565b60405180910390f35b600080806060',
  '8161007b60208701876103f9565b6001600160a01b03161461014c5761009660208601866103f9565b6001600160a01b03166100af6060',
  '8701604088016103f9565b6040516001600160a01b0390911660248201526060870135604482015260640160408051601f198184030181',
  '529181526020820180516001600160e01b031663095ea7b360e01b179052516101049190610422565b6000604051808303816000865af1',
  '9150503d8060008114610141576040519150601f19603f3d011682016040523d82523d6000602084013e610146565b606091505b509094',
  '50505b600061016361015e60208801886103f9565b610267565b9050600061017a61015e6040890160208a016103f9565b905061018c60',
  '608801604089016103f9565b6001600160a01b031660808801356101a760a08a018a61043e565b6040516101b592919061048b565b6000',
  '6040518083038185875af1925050503d80600081146101f2576040519150601f19603f3d011682016040523d82523d6000602084013e61',
  '01f7565b606091505b509096509250600061020f61015e60208a018a6103f9565b9050600061022661015e60408b0160208c016103f956',
  '5b9050818411610236576000610240565b610240828561049b565b965082811161025057600061025a565b61025a838261049b565b9550',
  '505050509193509193565b60006001600160a01b03821661027e575047919050565b60405130602482015260009081906001600160a01b',
  '0385169060440160408051601f198184030181529181526020820180516001600160e01b03166370a0823160e01b179052516102cf9190',
  '610422565b600060405180830381855afa9150503d806000811461030a576040519150601f19603f3d011682016040523d82523d600060',
  '2084013e61030f565b606091505b509150915081801561032357506020815110155b61032e576000610342565b80806020019051810190',
  '61034291906104c2565b949350505050565b60006020828403121561035c57600080fd5b81356001600160401b03811115610372576000',
  '80fd5b820160c0818503121561038457600080fd5b9392505050565b60005b838110156103a657818101518382015260200161038e565b',
  '50506000910152565b841515815283602082015282604082015260806060820152600082518060808401526103e28160a0850160208701',
  '61038b565b601f01601f19169190910160a00195945050505050565b60006020828403121561040b57600080fd5b81356001600160a01b',
  '038116811461038457600080fd5b6000825161043481846020870161038b565b9190910192915050565b6000808335601e198436030181',
  '1261045557600080fd5b8301803591506001600160401b0382111561046f57600080fd5b60200191503681900382131561048457600080',
  'fd5b9250929050565b8183823760009101908152919050565b818103818111156104bc57634e487b7160e01b6000526011600452602460',
  '00fd5b92915050565b6000602082840312156104d457600080fd5b505191905056',
].join('')}`;
