// Opens the configured model providers over the AI SDK; each package is loaded with the first question, not before.

import type {
  AskOptions,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ProviderName,
} from '../../../agent/model-provider.ts';
import { faultOf } from './faults.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { LanguageModel } from './language-model.ts';
import { callOptions } from './prompt.ts';
import { collectReply, replyOf } from './reply.ts';

export interface ModelSettings {
  readonly provider: ProviderName;
  readonly model: string;
  /** Only `local` may do without. */
  readonly apiKey?: string | undefined;
  /** With the version in its path, such as `/v1`; the provider's own address when left out. `local` needs one. */
  readonly baseUrl?: string | undefined;
}

/** Written out, because the packages would else look for settings of their own in the environment. */
const OWN_ADDRESS: Readonly<Record<Exclude<ProviderName, 'local'>, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

export const openModels = (chain: readonly ModelSettings[]): readonly ModelProvider[] => chain.map(openModel);

function openModel(settings: ModelSettings): ModelProvider {
  const { provider, model, apiKey } = settings;
  let loading: Promise<LanguageModel> | undefined;

  async function ask(request: ModelRequest, { signal, onPart }: AskOptions): Promise<ModelReply> {
    loading ??= load(settings);
    const language = await loading;
    const options = callOptions(request, provider, signal);
    if (onPart === undefined) return replyOf(await language.doGenerate(options), provider);
    // The raw pieces are signs of life: a model that thinks, or a server that counts, has no text to show for it.
    const { stream } = await language.doStream({ ...options, includeRawChunks: true });
    return collectReply(stream, provider, onPart);
  }

  return {
    name: provider,
    model,
    ask: (request, options) =>
      ask(request, options).catch((thrown) => {
        throw faultOf(thrown, { provider, model, apiKey });
      }),
  };
}

async function load({ provider, model, apiKey = '', baseUrl }: ModelSettings): Promise<LanguageModel> {
  const fetch = guardedFetch;
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Chat Completions, not Responses: no conversation is stored to be continued, and every proxy speaks it.
      return createOpenAI({ apiKey, baseURL: baseUrl ?? OWN_ADDRESS.openai, fetch }).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL: baseUrl ?? OWN_ADDRESS.anthropic, fetch })(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ apiKey, baseURL: baseUrl ?? OWN_ADDRESS.google, fetch })(model);
    }
    case 'local': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey === '' ? {} : { apiKey };
      // Without a word of ours such servers do not count the tokens of a stream.
      return createOpenAICompatible({ name: 'local', baseURL: baseUrl ?? '', ...key, includeUsage: true, fetch })(
        model,
      );
    }
  }
}
