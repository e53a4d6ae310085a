// The guides, as they come with the product: to read where something leads to one, without another window.

import { useEffect, useState } from 'preact/hooks';
import { Panel } from '../../ui/panel.tsx';
import type { Place } from '../../ui/places.ts';
import { fileOf, linkIn } from './guide-places.ts';
import { type Block, blocksOf, type Inline, inlinesOf } from './guide-text.ts';
import './guides.css';

const DOCS = '../../../docs/';
/** Each comes when it is opened. */
const TEXTS = import.meta.glob<string>(
  ['../../../docs/*.md', '../../../docs/guides/**/*.md', '../../../docs/api/*.md', '../../../docs/pine/*.md'],
  { query: '?raw', import: 'default' },
);
const FILES: ReadonlySet<string> = new Set(Object.keys(TEXTS).map((path) => path.slice(DOCS.length)));

export function Guides({ place }: { readonly place: Place }) {
  const file = fileOf(place.rest, FILES);
  const { blocks, refused } = useBlocks(file);
  const anchor = place.query.get('at');
  useEffect(() => {
    const main = document.querySelector('main');
    if (anchor === null) main?.scrollTo(0, 0);
    else document.getElementById(`guide-${anchor}`)?.scrollIntoView();
  }, [blocks, anchor]);
  if (file === undefined || refused)
    return (
      <p role="alert">
        There is no such guide here. <a href="#/guides">All guides</a>
      </p>
    );
  const [title, ...body] = blocks ?? [];
  return (
    <Panel
      title={title?.kind === 'heading' ? title.line : 'Guide'}
      aside={file !== 'README.md' && <a href="#/guides">All guides</a>}
    >
      <div class="guide">
        <Blocks blocks={body} file={file} />
      </div>
    </Panel>
  );
}

function useBlocks(file: string | undefined) {
  const [read, setRead] = useState<{ readonly file: string; readonly blocks?: readonly Block[] }>();
  useEffect(() => {
    if (file === undefined) return;
    TEXTS[`${DOCS}${file}`]!().then(
      (text) => setRead({ file, blocks: blocksOf(text) }),
      () => setRead({ file }),
    );
  }, [file]);
  const isThis = read !== undefined && read.file === file;
  return { blocks: isThis ? read.blocks : undefined, refused: isThis && read.blocks === undefined };
}

interface BlocksProps {
  readonly blocks: readonly Block[];
  readonly file: string;
}

const Blocks = ({ blocks, file }: BlocksProps) => (
  <>
    {blocks.map((block, at) => (
      <OneBlock key={at} block={block} file={file} />
    ))}
  </>
);

function OneBlock({ block, file }: { readonly block: Block; readonly file: string }) {
  const line = (text: string) => <Line line={text} file={file} />;
  if (block.kind === 'code') return <CodeBlock text={block.text} />;
  if (block.kind === 'paragraph') return <p>{line(block.line)}</p>;
  if (block.kind === 'heading') {
    const id = `guide-${block.id}`;
    return block.level <= 2 ? <h3 id={id}>{line(block.line)}</h3> : <h4 id={id}>{line(block.line)}</h4>;
  }
  if (block.kind === 'table') return <TableBlock table={block} file={file} />;
  const items = block.items.map((item) => (
    <li key={item.line}>
      {line(item.line)}
      <Blocks blocks={item.below} file={file} />
    </li>
  ));
  return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

const CodeBlock = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is moved with keys
  <pre tabIndex={0}>{text}</pre>
);

interface TableBlockProps {
  readonly table: Extract<Block, { kind: 'table' }>;
  readonly file: string;
}

const TableBlock = ({ table: { head, rows }, file }: TableBlockProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is moved with keys
  <div class="wide" tabIndex={0}>
    <table>
      {head.some((cell) => cell !== '') && (
        <thead>
          <tr>
            {head.map((cell, at) =>
              cell === '' ? (
                <td key={at} />
              ) : (
                <th key={at}>
                  <Line line={cell} file={file} />
                </th>
              ),
            )}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row) => (
          <tr key={row.join()}>
            {row.map((cell, at) => (
              <td key={at}>
                <Line line={cell} file={file} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Line = ({ line, file }: { readonly line: string; readonly file: string }) => (
  <>
    {inlinesOf(line).map((inline, at) => (
      <OneInline key={at} inline={inline} file={file} />
    ))}
  </>
);

function OneInline({ inline, file }: { readonly inline: Inline; readonly file: string }) {
  if (inline.kind === 'code') return <code>{inline.text}</code>;
  if (inline.kind === 'strong')
    return (
      <strong>
        <Line line={inline.text} file={file} />
      </strong>
    );
  if (inline.kind === 'emphasis') return <em>{inline.text}</em>;
  const to = inline.kind === 'link' ? linkIn(file, inline.to, FILES) : undefined;
  if (to === undefined) return <>{inline.text}</>;
  const away = to.startsWith('#') ? {} : { target: '_blank', rel: 'noopener noreferrer' };
  return (
    <a href={to} {...away}>
      {inline.text}
    </a>
  );
}
