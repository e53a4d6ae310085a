// The AI SDK's results as our reply: whole ones, and those that come piece by piece.

import {
  ModelFault,
  type ModelReply,
  type ProviderName,
  type TokenCount,
  type ToolRequest,
} from '../../../agent/model-provider.ts';
import type { AssistantContent, Counted, Finish, Generated, StreamPart, Warning } from './language-model.ts';
import { objectOf } from './prompt.ts';

/** Far above 32,768 tokens of text; beyond it a server streams for ever. */
const MAX_REPLY_CHARS = 1_000_000;

type Piece =
  | { readonly type: 'text' | 'reasoning'; text: string; metadata: Metadata }
  | { readonly type: 'tool-call'; readonly request: ToolRequest; readonly metadata: Metadata };
type Metadata = Extract<StreamPart, { type: 'text-start' }>['providerMetadata'];

export function replyOf({ content, finishReason, usage, warnings }: Generated, provider: ProviderName): ModelReply {
  const pieces = content.flatMap((part): Piece[] => {
    if (part.type === 'text' || part.type === 'reasoning')
      return [{ type: part.type, text: part.text, metadata: part.providerMetadata }];
    if (part.type === 'tool-call') return [toolPiece(part)];
    return [];
  });
  // Small servers leave the reason out of a whole answer; of a stream its absence means that it was cut off.
  return assemble(pieces, finishReason, { usage, warnings, provider, wasWhole: true });
}

export async function collectReply(
  stream: ReadableStream<StreamPart>,
  provider: ProviderName,
  onPart: (text: string) => void,
): Promise<ModelReply> {
  const collector = createCollector();
  let warnings: readonly Warning[] = [];
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'stream-start') warnings = part.warnings;
    collector.take(part);
    onPart(part.type === 'text-delta' ? part.delta : '');
    if (part.type === 'finish') {
      const { usage, finishReason } = part;
      return assemble(collector.pieces, finishReason, { usage, warnings, provider, wasWhole: false });
    }
  }
  throw cutOff(undefined);
}

/** Puts the pieces of a stream together, each under its own id: text and reasoning may come in turns. */
function createCollector() {
  const pieces: Piece[] = [];
  const open = new Map<string, Extract<Piece, { text: string }>>();
  let chars = 0;
  const start = (type: 'text' | 'reasoning', id: string, metadata: Metadata): void => {
    const piece = { type, text: '', metadata };
    pieces.push(piece);
    open.set(id, piece);
  };
  const goOn = (id: string, delta: string, metadata: Metadata): void => {
    const piece = open.get(id);
    if (piece === undefined) return;
    piece.text += delta;
    piece.metadata = metadata ?? piece.metadata;
  };
  return {
    pieces,
    take(part: StreamPart): void {
      if ('delta' in part) chars += part.delta.length;
      if (chars > MAX_REPLY_CHARS)
        throw new ModelFault('malformed', `it wrote more than ${MAX_REPLY_CHARS} characters`);
      switch (part.type) {
        case 'text-start':
          start('text', part.id, part.providerMetadata);
          break;
        case 'reasoning-start':
          start('reasoning', part.id, part.providerMetadata);
          break;
        case 'text-delta':
        case 'reasoning-delta':
          goOn(part.id, part.delta, part.providerMetadata);
          break;
        case 'text-end':
        case 'reasoning-end':
          goOn(part.id, '', part.providerMetadata);
          break;
        case 'tool-call':
          pieces.push(toolPiece(part));
      }
    },
  };
}

const toolPiece = (part: Extract<StreamPart, { type: 'tool-call' }>): Piece => ({
  type: 'tool-call',
  request: { id: part.toolCallId, name: part.toolName, argumentsJson: part.input ?? '' },
  metadata: part.providerMetadata,
});

interface AssembleParts {
  readonly usage: Counted;
  readonly warnings: readonly Warning[];
  readonly provider: ProviderName;
  readonly wasWhole: boolean;
}

function assemble(pieces: readonly Piece[], finish: Finish, parts: AssembleParts): ModelReply {
  const tokens = tokensOf(parts.usage);
  const warnings = parts.warnings.map(warningText);
  if (finish.unified === 'content-filter')
    throw new ModelFault('refused', 'its content filter refused to answer this', tokens && { tokens });
  if (finish.unified === 'error' || finish.unified === 'interrupted') throw cutOff(tokens);
  if (finish.unified === 'other') {
    if (finish.raw !== undefined)
      warnings.push(`the model stopped for a reason of its own (${finish.raw.slice(0, 40)})`);
    else if (!parts.wasWhole) throw cutOff(tokens);
  }
  const toolRequests = pieces.flatMap((piece) => (piece.type === 'tool-call' ? [piece.request] : []));
  return {
    text: pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join(''),
    toolRequests,
    finish: toolRequests.length > 0 ? 'tool-calls' : finish.unified === 'length' ? 'length' : 'stop',
    tokens,
    warnings,
    origin: { provider: parts.provider, content: contentOf(pieces) },
  };
}

const cutOff = (tokens: TokenCount | undefined): ModelFault =>
  new ModelFault('malformed', 'its answer broke off in the middle', tokens && { tokens });

/** What goes back to the same provider, with the signatures it gave. */
const contentOf = (pieces: readonly Piece[]): AssistantContent =>
  pieces.flatMap((piece): AssistantContent => {
    const options = piece.metadata && { providerOptions: piece.metadata };
    if (piece.type !== 'tool-call')
      return piece.text === '' && !options ? [] : [{ type: piece.type, text: piece.text, ...options }];
    const { id, name, argumentsJson } = piece.request;
    return [{ type: 'tool-call', toolCallId: id, toolName: name, input: objectOf(argumentsJson), ...options }];
  });

/** Undefined unless both counts are ones that can be: a wrong count would stay in the ledger for ever. */
function tokensOf({ inputTokens, outputTokens }: Counted): TokenCount | undefined {
  const tokensIn = inputTokens.total;
  const tokensOut = outputTokens.total;
  return isCount(tokensIn) && isCount(tokensOut) ? { tokensIn, tokensOut } : undefined;
}

const MAX_TOKENS_OF_A_CALL = 1_000_000_000;
const isCount = (count: number | undefined): count is number =>
  Number.isInteger(count) && (count as number) >= 0 && (count as number) <= MAX_TOKENS_OF_A_CALL;

function warningText(warning: Warning): string {
  if (warning.type === 'other') return warning.message;
  const details = 'details' in warning && warning.details ? `: ${warning.details}` : '';
  return 'feature' in warning
    ? `${warning.feature} is not supported as asked${details}`
    : 'something was not done as asked';
}
