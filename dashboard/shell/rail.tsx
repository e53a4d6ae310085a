// The list of pages: a rail beside the page, a bar below it on a phone.

import { More } from './more.tsx';
import { PAGES } from './pages.ts';
import './rail.css';
import { linkTo } from '../ui/places.ts';
import { words } from '../ui/words.ts';

const SECTIONS = [...new Set(PAGES.map(({ section }) => section))];

export const Rail = ({ current }: { readonly current: string }) => (
  <nav class="rail" aria-label="Pages">
    <a class="brand" href="#/">
      <img src="/favicon.svg" alt="" width="18" height="18" />
      Signalbox
    </a>
    {SECTIONS.map((section) => (
      <div key={section ?? ''} class="section">
        {section !== undefined && <h2>{section}</h2>}
        <ul>
          {PAGES.filter((page) => page.section === section).map(({ word, title, isOnPhone }) => (
            <li key={word} class={words(!isOnPhone && 'wide-only')}>
              <a href={linkTo(word)} aria-current={word === current ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </div>
    ))}
    <More />
  </nav>
);
