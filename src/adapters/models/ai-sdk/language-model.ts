// The part of the AI SDK we stand on: the interface its provider packages give every model, by the names we use here.

import type { OpenAIProvider } from '@ai-sdk/openai';

export type LanguageModel = ReturnType<OpenAIProvider['chat']>;
export type CallOptions = Parameters<LanguageModel['doGenerate']>[0];
export type Prompt = CallOptions['prompt'];
export type PromptMessage = Prompt[number];
export type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content'];

export type Generated = Awaited<ReturnType<LanguageModel['doGenerate']>>;
export type Finish = Generated['finishReason'];
export type Counted = Generated['usage'];
export type Warning = Generated['warnings'][number];
export type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
