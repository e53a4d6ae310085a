// The fallback chain: providers in the owner's order, the next one asked when one fails, every fault remembered.

import { abortFault, type CallContext, type ProviderCaller } from './call-provider.ts';
import { ModelFault, type ModelReply, type ModelRequest, type ProviderName } from './model-provider.ts';

export interface ProviderFault {
  readonly provider: ProviderName;
  readonly fault: ModelFault;
}

/** Nobody answered. The message names each provider's fault. */
export class NobodyAnswered extends Error {
  override readonly name = 'NobodyAnswered';
  readonly faults: readonly ProviderFault[];

  constructor(faults: readonly ProviderFault[]) {
    super(faults.map(({ provider, fault }) => `${provider}: ${fault.message}`).join('; '));
    this.faults = faults;
  }
}

export interface Answered {
  readonly reply: ModelReply;
  readonly caller: ProviderCaller;
}

/**
 * Asks `first` before the others, so that one conversation stays with one provider while it works. Text that went out
 * cannot be taken back, so nobody else is asked after it. Rejects with NobodyAnswered, or with the ModelFault of an
 * aborted signal.
 */
export async function askChain(
  callers: readonly ProviderCaller[],
  request: ModelRequest,
  context: CallContext,
  first?: ProviderCaller,
): Promise<Answered> {
  const order = first === undefined ? callers : [first, ...callers.filter((caller) => caller !== first)];
  const faults: ProviderFault[] = [];
  for (const caller of order) {
    try {
      return { reply: await caller.call(request, context), caller };
    } catch (error) {
      if (context.signal.aborted) throw abortFault(context.signal);
      if (!(error instanceof ModelFault)) throw error;
      faults.push({ provider: caller.provider.name, fault: error });
      if (context.out?.said) break;
    }
  }
  throw new NobodyAnswered(faults);
}
