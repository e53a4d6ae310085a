// The port of one model provider: one call with a whole conversation, one reply or one fault in words.

export const PROVIDERS = ['openai', 'anthropic', 'google', 'local'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** The image types every provider takes. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

export interface ModelImage {
  readonly mediaType: (typeof IMAGE_TYPES)[number];
  readonly bytes: Uint8Array;
}

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What a model asks to have looked up. */
export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; nobody has checked it. */
  readonly argumentsJson: string;
}

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
}

/** What a provider wants back as it was when its own reply is continued, such as signed reasoning. */
export interface ReplyOrigin {
  readonly provider: ProviderName;
  readonly content: unknown;
}

export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly image?: ModelImage }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolRequests?: readonly ToolRequest[];
      readonly origin?: ReplyOrigin;
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly tools: readonly ToolSpec[];
}

export interface TokenCount {
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface ModelReply {
  readonly text: string;
  readonly toolRequests: readonly ToolRequest[];
  /** `length`: the model stopped at maxTokens, so the text is not whole. */
  readonly finish: 'stop' | 'length' | 'tool-calls';
  /** Undefined when the provider did not say. */
  readonly tokens: TokenCount | undefined;
  /** What the provider could not do as asked, such as an unsupported temperature. */
  readonly warnings: readonly string[];
  readonly origin: ReplyOrigin;
}

/**
 * rate-limited, server, unreachable: another try may help. timeout, malformed: the provider is at fault. setup: it does
 * not let us in, or has no such model. request: it does not take this conversation. refused: its filter stopped the
 * answer. canceled: by us.
 */
export type FaultKind =
  | 'rate-limited'
  | 'server'
  | 'unreachable'
  | 'timeout'
  | 'malformed'
  | 'setup'
  | 'request'
  | 'refused'
  | 'canceled';

export interface ModelFaultOptions {
  readonly retryable?: boolean;
  /** How long the provider asks us to stay away. */
  readonly retryAfterMs?: number;
  /** Tokens the provider counted although nothing useful came. */
  readonly tokens?: TokenCount;
}

/** Its message is for people, names the remedy, and holds neither key nor address nor prompt. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault';
  readonly kind: FaultKind;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly tokens: TokenCount | undefined;

  constructor(kind: FaultKind, message: string, options: ModelFaultOptions = {}) {
    super(message);
    this.kind = kind;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.tokens = options.tokens;
  }
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** Given when the reply is wanted piece by piece; told of every piece of text, and of life without text. */
  readonly onPart?: (text: string) => void;
}

export interface ModelProvider {
  readonly name: ProviderName;
  readonly model: string;
  /** One call, never repeated by the adapter. Rejects with ModelFault. */
  ask(request: ModelRequest, options: AskOptions): Promise<ModelReply>;
}
