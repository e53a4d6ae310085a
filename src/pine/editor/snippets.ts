// Blocks to fill in, offered where a statement begins.

import { type Candidate, RANK, snippet } from './completion.ts';
import type { Document } from './document.ts';

interface Block {
  readonly label: string;
  readonly detail: string;
  /** Places to fill in stand between «», in the order they are visited; «0» is the last. */
  readonly text: string;
  /** Stands at the left margin only. */
  readonly top?: boolean;
  readonly newest?: boolean;
}

const BLOCKS: readonly Block[] = [
  { label: 'if', detail: 'if block', text: 'if «1:condition»\n    «0»' },
  { label: 'if else', detail: 'if block with else', text: 'if «1:condition»\n    «2»\nelse\n    «0»' },
  { label: 'for', detail: 'counting loop', text: 'for «1:i» = «2:0» to «3:10»\n    «0»' },
  { label: 'for in', detail: 'loop over a collection', text: 'for «1:item» in «2:values»\n    «0»' },
  { label: 'while', detail: 'loop with a condition', text: 'while «1:condition»\n    «0»' },
  { label: 'switch', detail: 'choice by a value', text: 'switch «1:value»\n    «2:first» => «3»\n    => «0»' },
  { label: 'once', detail: 'block that runs once', text: 'once «1:condition»\n    «0»', newest: true },
  { label: 'function', detail: 'function', text: '«1:name»(«2:x») =>\n    «0»', top: true },
  { label: 'method', detail: 'method', text: 'method «1:name»(«2:float» «3:this») =>\n    «0»', top: true },
  { label: 'type', detail: 'type with fields', text: 'type «1:Name»\n    «2:float» «3:field»\n', top: true },
  { label: 'enum', detail: 'enum', text: 'enum «1:Name»\n    «2:first»\n    «3:second»\n', top: true },
];

const SCRIPTS: readonly Block[] = [
  { label: 'indicator', detail: 'new indicator', text: 'indicator("«1:My script»", overlay = «2:true»)\n«0»' },
  { label: 'strategy', detail: 'new strategy', text: 'strategy("«1:My strategy»", overlay = «2:true»)\n«0»' },
  { label: 'library', detail: 'new library', text: 'library("«1:MyLibrary»")\n«0»' },
];

export function snippetsFor({ module, version, script }: Document, local: boolean): Candidate[] {
  const versioned = script.annotations.some(({ name }) => name === 'version');
  const blocks = BLOCKS.filter(({ top, newest }) => !(local && top === true) && !(version === 5 && newest === true));
  const scripts = module.declared || local ? [] : SCRIPTS;
  return [
    ...blocks.map((block) => candidateOf(block, '')),
    ...scripts.map((block) => candidateOf(block, versioned ? '' : '//@version=6\n')),
  ];
}

function candidateOf({ label, detail, text }: Block, before: string): Candidate {
  const places = text.replace(/«(\d)(?::([^»]*))?»/g, (_, number: string, word?: string) =>
    word === undefined ? `$${number}` : `\${${number}:${word}}`,
  );
  return snippet(RANK.snippet, label, 'snippet', `${before}${places}`, { detail });
}
