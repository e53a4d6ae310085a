// The call that carries out a quoted swap: never for less than asked for, never after its deadline, nothing left behind.

import { encodeFunctionData, encodePacked } from 'viem/utils';
import { ZERO_ADDRESS } from '../../../wallet/address.ts';
import type { Address, Call, Hex, SwapQuote } from '../../../wallet/chain.ts';
import { V2_ROUTER_ABI, V3_ROUTER_ABI } from './abis.ts';

export interface SwapTerms {
  readonly recipient: Address;
  readonly minAmountOut: bigint;
  readonly deadlineS: number;
}

export function swapCall(quote: SwapQuote, terms: SwapTerms): Call {
  if (terms.minAmountOut <= 0n)
    throw new Error('a swap needs a smallest amount out above zero; trade more, or allow less slippage');
  return {
    to: quote.router,
    valueWei: quote.tokenIn === 'native' ? quote.amountIn : 0n,
    data: quote.protocol === 'uniswap-v2' ? v2Data(quote, terms) : v3Data(quote, terms),
  };
}

/** The functions that look at what really arrives: the others believe their own arithmetic, and a token may keep a part. */
function v2Data({ tokenIn, tokenOut, amountIn, path }: SwapQuote, terms: SwapTerms): Hex {
  const { recipient, minAmountOut } = terms;
  const deadline = BigInt(terms.deadlineS);
  const abi = V2_ROUTER_ABI;
  if (tokenIn === 'native')
    return encodeFunctionData({
      abi,
      functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
      args: [minAmountOut, path, recipient, deadline],
    });
  const functionName =
    tokenOut === 'native'
      ? 'swapExactTokensForETHSupportingFeeOnTransferTokens'
      : 'swapExactTokensForTokensSupportingFeeOnTransferTokens';
  return encodeFunctionData({ abi, functionName, args: [amountIn, minAmountOut, path, recipient, deadline] });
}

function v3Data(quote: SwapQuote, terms: SwapTerms): Hex {
  const abi = V3_ROUTER_ABI;
  const isToCoin = quote.tokenOut === 'native';
  // The router keeps the wrapped coin for itself and hands it out unwrapped in the next step of the same transaction.
  const swap = v3Swap(quote, { ...terms, recipient: isToCoin ? ZERO_ADDRESS : terms.recipient });
  const steps = [swap];
  if (isToCoin)
    steps.push(encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [terms.minAmountOut, terms.recipient] }));
  // Coins the pool did not take would stay in the router, for anybody to fetch.
  if (quote.tokenIn === 'native') steps.push(encodeFunctionData({ abi, functionName: 'refundETH' }));
  return steps.length === 1 ? swap : encodeFunctionData({ abi, functionName: 'multicall', args: [steps] });
}

function v3Swap({ path, feesPath, amountIn }: SwapQuote, { recipient, minAmountOut, deadlineS }: SwapTerms): Hex {
  const abi = V3_ROUTER_ABI;
  const common = { recipient, deadline: BigInt(deadlineS), amountIn, amountOutMinimum: minAmountOut };
  const [tokenIn, tokenOut] = path as [Address, Address];
  const [fee] = feesPath as [number];
  if (path.length === 2)
    return encodeFunctionData({
      abi,
      functionName: 'exactInputSingle',
      args: [{ tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n, ...common }],
    });
  return encodeFunctionData({
    abi,
    functionName: 'exactInput',
    args: [{ path: packedPath(path, feesPath), ...common }],
  });
}

/** Token, fee, token, fee, token: without any space between them. */
function packedPath(path: readonly Address[], feesPath: readonly number[]): Hex {
  const types = path.flatMap((_, index) => (index === 0 ? ['address'] : ['uint24', 'address']));
  const values = path.flatMap((token, index) => (index === 0 ? [token] : [feesPath[index - 1], token]));
  return encodePacked(types, values);
}
