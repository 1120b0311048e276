import { html, raw } from 'hono/html';
import { readFileSync } from 'node:fs';
import { isBlank, printable, redact, safeExcerpt, shorten } from '../core/text/text.ts';

/** Markup. All texts in `html` are escaped. */
export type Html = ReturnType<typeof html>;

/** Empty markup. */
export const NO_MARKUP: Html = raw('');

/** A template literal as markup, with all inserted texts escaped. */
export { html };

/**
 * Markup without the indentation of the template, as one text: a long list takes a fraction of the memory then. No text
 * in it may have line breaks that matter.
 */
export function compact(markup: Html): Html {
  return raw(String(markup).replace(/\n\s+/g, '\n'));
}

/** Texts of a registry or a subscriber: sanitized, and distinguished from our own text. */

const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Stacked combining marks would overlap the adjacent lines; no script needs more of them on one letter. */
export function withoutStackedMarks(text: string): string {
  return text.replace(STACKED_MARKS, '$1');
}

// These two join letters and emoji; elsewhere they are invisible, and escaped like other invisible characters.
const JOINERS =
  /(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])([\u200c\u200d])(?=[\p{L}\p{Extended_Pictographic}])/u;

// The time to classify joiners grows with the text.
const ROOM = 20_000;

/** The text without secrets, truncated, with invisible and reordering characters escaped. */
export function sanitized(text: string, limit = 200): string {
  if (isAscii(text)) return safeExcerpt(text, limit);
  const short = shorten(redact(withoutStackedMarks(text.slice(0, ROOM))), limit);
  const parts = short.split(JOINERS);
  return parts.map((part, i) => (i % 2 === 1 ? part : printable(part))).join('');
}

/** True for most texts; they have neither marks nor joiners. */
function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\u0000-\u007f]*$/.test(text);
}

/** The text of others as markup, sanitized, with its own text direction. */
export function untrusted(text: string, limit = 200): Html {
  return isBlank(text) ? html`<i class="muted">no name</i>` : html`<bdi>${sanitized(text, limit)}</bdi>`;
}

/** A URL or digest, always displayed left to right. */
export function codeText(text: string, limit = 400): Html {
  return isBlank(text) ? html`<i class="muted">empty</i>` : html`<code dir="ltr">${sanitized(text, limit)}</code>`;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The first letter of a name, in place of an icon. */
export function initial(name: string): string {
  const visible = sanitized(name, 40).replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}]+/u, '');
  const [first] = GRAPHEMES.segment(visible);
  if (first === undefined) return '?';
  const { segment } = first;
  // A long one is a letter with many marks: only the letter.
  return segment.length <= 8 ? segment.toLocaleUpperCase('en') : [...segment].slice(0, 1).join('');
}

/** Copy buttons, which the script of a page makes visible. */

/**
 * A button that copies a text.
 *
 * @param what it copies, for screen readers
 */
export function copyButton(text: string, what: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" aria-label="Copy ${what}" hidden>Copy</button>`;
}

/** A URL or digest with a copy button. */
export function copyable(text: string, what: string): Html {
  return html`<span class="copyable">${codeText(text)}${copyButton(sanitized(text, 20_000), what)}</span>`;
}

/** Styles that all pages share: colors in light and dark mode, texts, the icons of apps, lists, chips, buttons. */
const FILES = ['colors', 'base', 'tile', 'lists', 'chips', 'buttons', 'about'];

/**
 * The styles that all pages share.
 *
 * @returns the text of a style sheet, to which pages add rules of their own
 */
export function sharedStyle(): string {
  return FILES.map((name) => readFileSync(new URL(`./assets/css/${name}.css`, import.meta.url), 'utf8')).join('\n');
}
