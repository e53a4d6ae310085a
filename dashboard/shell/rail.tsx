// The list of pages: a rail beside the page, a bar below it on a phone, with the rest of them behind "More".

import { useEffect, useState } from 'preact/hooks';
import { PAGES } from './pages.ts';
import './rail.css';
import { linkTo } from '../ui/places.ts';
import { words } from '../ui/words.ts';

const SECTIONS = [...new Set(PAGES.map(({ section }) => section))];

export function Rail({ current }: { readonly current: string }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [current]);
  return (
    <nav class={words('rail', isOpen && 'open')} aria-label="Pages">
      <a class="brand" href="#/">
        <img src="/favicon.svg" alt="" width="18" height="18" />
        Signalbox
      </a>
      {SECTIONS.map((section) => (
        <div key={section ?? ''} class="section">
          {section !== undefined && <h2>{section}</h2>}
          <ul>
            {PAGES.filter((page) => page.section === section).map(({ word, title, isOnPhone, count: Count }) => (
              <li key={word} class={words(!isOnPhone && 'wide-only')}>
                <a href={linkTo(word)} aria-current={word === current ? 'page' : undefined}>
                  {title}
                  {Count !== undefined && <Count />}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <button type="button" class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        More
      </button>
    </nav>
  );
}
