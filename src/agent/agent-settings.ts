// The agent's settings as text (AGENT_PROVIDERS, AGENT_MODELS, AGENT_PRICES): read with every fault at once.

import { PROVIDERS, type ProviderName } from './model-provider.ts';
import type { Price } from './prices.ts';

/** Each has a known price, takes images and tools, and is the middle of its provider's range. `local` has none. */
export const DEFAULT_MODELS: Readonly<Partial<Record<ProviderName, string>>> = {
  openai: 'gpt-4.1-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
};

export interface Read<T> {
  readonly value: T;
  /** Each a sentence with the remedy; empty when the value may be used. */
  readonly faults: readonly string[];
}

const MODEL_ID = /^[\w.:/@-]{1,128}$/;
const NUMBER = /^\d{1,7}(?:\.\d{1,9})?$/;

const partsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const isProvider = (name: string): name is ProviderName => (PROVIDERS as readonly string[]).includes(name);
/** What is quoted back must not be long, and may be a key that was pasted into the wrong line. */
const quoted = (text: string): string => (/^[\w.:/@=-]{1,24}$/.test(text) ? `"${text}"` : 'an entry');

/** `openai,anthropic`: the fallback chain in order. */
export function readProviders(text: string): Read<readonly ProviderName[]> {
  const value: ProviderName[] = [];
  const faults: string[] = [];
  for (const name of partsOf(text)) {
    if (!isProvider(name)) faults.push(`AGENT_PROVIDERS has ${quoted(name)}; use ${PROVIDERS.join(', ')}`);
    else if (value.includes(name)) faults.push(`AGENT_PROVIDERS names ${name} twice; name it once`);
    else value.push(name);
  }
  return { value, faults };
}

/** `openai=gpt-4.1,local=llama3.1:8b`. */
export function readModels(text: string): Read<ReadonlyMap<ProviderName, string>> {
  const value = new Map<ProviderName, string>();
  const faults: string[] = [];
  for (const part of partsOf(text)) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    const model = part.slice(at + 1).trim();
    if (at < 0 || !isProvider(name))
      faults.push(`AGENT_MODELS has ${quoted(part)}; write provider=model, such as openai=gpt-4.1`);
    else if (!MODEL_ID.test(model)) faults.push(`AGENT_MODELS names no model for ${name}; write ${name}=model`);
    else if (value.has(name)) faults.push(`AGENT_MODELS names ${name} twice; name it once`);
    else value.set(name, model);
  }
  return { value, faults };
}

/** `gpt-4.1=2/8`: US dollars per million tokens in and out. */
export function readPrices(text: string): Read<ReadonlyMap<string, Price>> {
  const value = new Map<string, Price>();
  const faults: string[] = [];
  for (const part of partsOf(text)) {
    const at = part.lastIndexOf('=');
    const model = part.slice(0, Math.max(at, 0)).trim();
    const [inUsd = '', outUsd = '', ...rest] = part
      .slice(at + 1)
      .split('/')
      .map((price) => price.trim());
    if (!MODEL_ID.test(model) || !NUMBER.test(inUsd) || !NUMBER.test(outUsd) || rest.length > 0)
      faults.push(
        `AGENT_PRICES has ${quoted(part)}; write model=in/out in USD per million tokens, such as gpt-4.1=2/8`,
      );
    else if (value.has(model)) faults.push(`AGENT_PRICES names ${model} twice; name it once`);
    else value.set(model, { inUsd: Number(inUsd), outUsd: Number(outUsd) });
  }
  return { value, faults };
}

export interface ProviderAccess {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

export interface ChainLink extends ProviderAccess {
  readonly provider: ProviderName;
  readonly model: string;
}

const NEEDED: Readonly<Record<ProviderName, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  local: 'LOCAL_MODEL_URL',
};

/** The chain as it will be asked: what AGENT_PROVIDERS names, else every provider that has its key or address. */
export function chainOf(
  named: readonly ProviderName[],
  models: ReadonlyMap<ProviderName, string>,
  access: Readonly<Record<ProviderName, ProviderAccess>>,
): Read<readonly ChainLink[]> {
  const isReady = (name: ProviderName): boolean =>
    (name === 'local' ? access.local.baseUrl : access[name].apiKey) !== undefined;
  const value: ChainLink[] = [];
  const faults: string[] = [];
  for (const provider of named.length > 0 ? named : PROVIDERS.filter(isReady)) {
    const model = models.get(provider) ?? DEFAULT_MODELS[provider];
    if (!isReady(provider))
      faults.push(
        `AGENT_PROVIDERS names ${provider}, but ${NEEDED[provider]} is not set; set it, or leave ${provider} out`,
      );
    else if (model === undefined)
      faults.push(`${provider} has no model; set AGENT_MODELS=${provider}=the-name-of-your-model`);
    else value.push({ provider, model, ...access[provider] });
  }
  return { value, faults };
}
