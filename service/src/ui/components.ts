import { formatTime } from 'appreg';
import { html, type Html, NO_MARKUP, sanitized } from 'appreg/node';
import { type Tone } from '../domain/event-definition.ts';
import { LONGEST_URL } from '../domain/fields.ts';
import { type Scope, allows } from '../domain/scopes.ts';
import { LONGEST_SEARCH } from '../db/page.ts';

/** A status word with a colored mark; the color adds no information. */
export function status(tone: Tone, word: string): Html {
  return html`<span class="status ${tone}">${word}</span>`;
}

export function chip(word: string, tone: Tone | 'plain' = 'plain'): Html {
  return html`<span class="chip ${tone}">${word}</span>`;
}

/** A button that copies what a URL responds with; the script makes it visible. @param what for screen readers */
export function copyUrlButton(url: string, what: string, label: string): Html {
  return html`<button type="button" class="copy" data-copy-url="${url}" title="Copy ${what}" hidden>${label}</button>`;
}

interface Field {
  name: string;
  label: string;
  value?: string;
  hint?: Html | string;
  /** The fault, with the correction. */
  error?: Html | string | null;
  type?: 'text' | 'url' | 'password' | 'date';
  isOptional?: boolean;
  /** Shown as dots, as a password is. */
  isConcealed?: boolean;
  /** The earliest date. */
  min?: string;
  autocomplete?: string;
  placeholder?: string;
  maxlength?: number;
  autofocus?: boolean;
}

/** A labeled input; its error is displayed next to it and referenced by aria-describedby. */
export function field({ name, label, value = '', hint, error = null, type = 'text', ...more }: Field): Html {
  const described = [...(hint === undefined ? [] : [`${name}-hint`]), ...(error === null ? [] : [`${name}-error`])];
  return html`<div class="field${error === null ? '' : ' wrong'}">
    <label for="${name}">${label}</label>
    ${hint === undefined ? NO_MARKUP : html`<p class="hint" id="${name}-hint">${hint}</p>`}
    <input
      id="${name}"
      name="${name}"
      type="${type === 'url' ? 'text' : type}"
      ${type === 'url' ? html`inputmode="url"` : NO_MARKUP}
      value="${value}"
      ${more.isConcealed === true ? html`class="concealed" spellcheck="false" autocapitalize="none"` : NO_MARKUP}
      ${more.isOptional === true ? NO_MARKUP : html`required`}
      ${more.min === undefined ? NO_MARKUP : html`min="${more.min}"`}
      ${described.length === 0 ? NO_MARKUP : html`aria-describedby="${described.join(' ')}"`}
      ${error === null ? NO_MARKUP : html`aria-invalid="true"`}
      ${more.autofocus === true || error !== null ? html`autofocus` : NO_MARKUP}
      autocomplete="${more.autocomplete ?? 'off'}"
      ${type === 'text' ? NO_MARKUP : html`autocapitalize="none" spellcheck="false" dir="ltr"`}
      ${more.placeholder === undefined ? NO_MARKUP : html`placeholder="${more.placeholder}"`}
      maxlength="${more.maxlength ?? LONGEST_URL}"
    />
    ${error === null ? NO_MARKUP : html`<p class="field-error" id="${name}-error">${error}</p>`}
  </div>`;
}

/** A message box above other content. */
export function notice(tone: Tone, body: Html | string): Html {
  return html`<div class="notice ${tone}">${body}</div>`;
}

/**
 * Shows an action if the scope of the session allows it, and else the reason why not.
 * @param activity the subject of a sentence, such as `Subscribing`
 */
export function ifAllowed(scope: Scope, needed: Scope, activity: string, action: Html): Html {
  return allows(scope, needed)
    ? action
    : html`<p class="muted">${activity} requires a token with the scope “${needed}”; yours has “${scope}”.</p>`;
}

/** Confirms an action, also to screen readers; the live region exists before it has content. */
export function doneNotice(words: string | null): Html {
  return html`<div id="done" role="status" data-live>${words === null ? NO_MARKUP : notice('good', words)}</div>`;
}

export function emptyState(title: string, body: Html | string, action: Html = NO_MARKUP): Html {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p>${body}</p>
    ${action}
  </div>`;
}

interface SearchForm {
  action: string;
  search: string;
  /** Such as `Search apps`. */
  label: string;
  /** The id of the list that shows the results. */
  results: string;
  /** Hidden fields of the form. */
  kept?: Html;
}

/** A search; with the script, the list is updated while typing. */
export function searchForm({ action, search, label, results, kept = NO_MARKUP }: SearchForm): Html {
  return html`<form class="search" role="search" method="get" action="${action}" data-search="${results}">
    <label class="unseen" for="q">${label}</label>
    <input
      id="q"
      name="q"
      type="search"
      value="${search}"
      placeholder="${label}"
      maxlength="${LONGEST_SEARCH}"
      autocomplete="off"
      spellcheck="false"
    />
    ${kept}
    <button class="search-button">Search</button>
  </form>`;
}

export interface Choice {
  value: string;
  label: string;
}

/** A labeled list of choices that is submitted with its form. */
export function select(name: string, label: string, choices: readonly Choice[], chosen: string): Html {
  return html`<label class="select"
    ><span>${label}</span>
    <select name="${name}">
      ${choices.map(({ value, label: text }) => html`<option value="${value}" ${value === chosen ? html`selected` : NO_MARKUP}>${sanitized(text, 60)}</option>`)}
    </select></label
  >`;
}

/**
 * Asks before something is deleted.
 * @param action what the form is sent to
 * @param back the page without the deletion
 */
export function confirmDeletion(action: string, label: string, back: string): Html {
  return html`<form class="form" method="post" action="${action}">
    <p class="actions">
      <button class="danger">${label}</button>
      <a class="button" href="${back}">Keep it</a>
    </p>
  </form>`;
}

/** Tables. The roles remain where the narrow layout displays rows as blocks. */

interface Table {
  /** CSS classes of this table. */
  className: string;
  /** For screen readers. */
  caption: string;
  columns: readonly Column[];
  rows: readonly Html[];
}

/** A label, `number` for right-aligned numbers, or `unseen` for a label that only screen readers get. */
type Column = string | { label: string; kind: 'number' | 'unseen' };

export function table({ className, caption, columns, rows }: Table): Html {
  return html`<table class="table ${className}" role="table">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(columnHeader)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`;
}

function columnHeader(column: Column): Html {
  if (typeof column === 'string') return html`<th role="columnheader" scope="col">${column}</th>`;
  const { label, kind } = column;
  return kind === 'number'
    ? html`<th role="columnheader" scope="col" class="number-cell">${label}</th>`
    : html`<th role="columnheader" scope="col"><span class="unseen">${label}</span></th>`;
}

/** Times for people, kept current by the page's script. */

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** `12 min ago`, `in 1 h`, `just now`: rounded, since the exact time is in the title. */
export function relativeText(iso: string, now: Date): string {
  const seconds = Math.round((Date.parse(iso) - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < MINUTE) return seconds > 0 ? 'in less than a minute' : 'just now';
  return seconds > 0 ? `in ${rounded(distance)}` : `${rounded(distance)} ago`;
}

/** `59 min`, `1 h`, `3 days`. The page's script has the same function. */
function rounded(seconds: number): string {
  const minutes = Math.round(seconds / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(seconds / HOUR);
  if (hours < 48) return `${hours} h`;
  return `${Math.round(seconds / DAY)} days`;
}

export function relativeTime(iso: string, now: Date): Html {
  return html`<time datetime="${iso}" title="${formatTime(iso)}" data-relative>${relativeText(iso, now)}</time>`;
}

/** A time in the future; a past one is due. */
export function dueTime(iso: string, now: Date): Html {
  return Date.parse(iso) <= now.getTime() ? html`due now` : relativeTime(iso, now);
}

export function calendarDay(iso: string): Html {
  return html`<time datetime="${iso}" title="${formatTime(iso)}">${iso.slice(0, 10)}</time>`;
}
