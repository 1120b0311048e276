import { escaped, inlineHtml } from './markdown-inline.ts';

/**
 * Release notes: a subset of Markdown as HTML. Headings, paragraphs, lists, quotes, code and rules; emphasis and links
 * (markdown-inline.ts). HTML in the text is shown as text. There are no images, styles and identifiers, and links lead to
 * http(s) and mailto only.
 */

declare const RENDERED: unique symbol;

/** HTML that consists of tags written here, and of escaped text. */
export type NotesHtml = string & { readonly [RENDERED]: true };

/** Nesting of lists and quotes; what is deeper is on the last level. */
const DEEPEST = 6;
/** The level of the highest heading, since a page has headings of its own. */
const FIRST_HEADING = 3;

/**
 * Notes as safe HTML. Pure, and in time proportional to the length of the text.
 * @param markdown of any origin; what is beyond 100,000 characters is cut
 */
export function renderNotes(markdown: string): NotesHtml {
  const lines = markdown.slice(0, 100_000).replace(/\r\n?/g, '\n').replaceAll('\t', '    ').split('\n');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the brand exists only in types
  return blocksHtml(lines, 0) as NotesHtml;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?: (.*))?$/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)/;

/** A block: its HTML, and the index of the line after it. */
interface Block {
  html: string;
  end: number;
}

function blocksHtml(lines: readonly string[], depth: number): string {
  const blocks: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const block = blockAt(lines, at, line, depth);
    blocks.push(block.html);
    at = block.end;
  }
  return blocks.join('\n');
}

function blockAt(lines: readonly string[], at: number, line: string, depth: number): Block {
  const heading = HEADING.exec(line);
  if (heading !== null) return { html: headingHtml(heading[1] ?? '', heading[2] ?? ''), end: at + 1 };
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return fencedCode(lines, at, fence);
  if (RULE.test(line)) return { html: '<hr>', end: at + 1 };
  if (depth < DEEPEST && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, depth);
  if (/^ {4}/.test(line)) return indentedCode(lines, at);
  return paragraph(lines, at, depth);
}

function headingHtml(marks: string, text: string): string {
  const level = Math.min(6, FIRST_HEADING - 1 + marks.length);
  const words = text.trim().replace(/(^|\s)#+$/, '');
  return `<h${level}>${inlineHtml(words.trim())}</h${level}>`;
}

function codeHtml(lines: readonly string[]): string {
  return `<pre><code>${lines.map(escaped).join('\n')}</code></pre>`;
}

function fencedCode(lines: readonly string[], at: number, fence: string): Block {
  const isEnd = (line: string): boolean => {
    const found = FENCE.exec(line)?.[1];
    return found !== undefined && found[0] === fence[0] && found.length >= fence.length && line.trim() === found;
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] ?? '')) end += 1;
  return { html: codeHtml(lines.slice(at + 1, end)), end: end + 1 };
}

function indentedCode(lines: readonly string[], at: number): Block {
  let end = at;
  while (end < lines.length && /^ {4}/.test(lines[end] ?? '')) end += 1;
  return { html: codeHtml(lines.slice(at, end).map((line) => line.slice(4))), end };
}

function quote(lines: readonly string[], at: number, depth: number): Block {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? '')) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return { html: `<blockquote>\n${blocksHtml(inner, depth + 1)}\n</blockquote>`, end };
}

/** A list with the items that follow each other with the same kind of mark. */
function list(lines: readonly string[], at: number, depth: number): Block {
  const kind = kindOfItem(lines[at] ?? '');
  const items: string[] = [];
  let end = at;
  while (end < lines.length && kindOfItem(lines[end] ?? '') === kind && !RULE.test(lines[end] ?? '')) {
    const item = itemAt(lines, end, depth);
    items.push(item.html);
    end = item.end;
  }
  const tag = kind === 'bullet' ? 'ul' : 'ol';
  return { html: `<${tag}>\n${items.join('\n')}\n</${tag}>`, end };
}

function kindOfItem(line: string): 'bullet' | 'number' | null {
  const mark = ITEM.exec(line)?.[2];
  if (mark === undefined) return null;
  return /\d/.test(mark) ? 'number' : 'bullet';
}

function itemAt(lines: readonly string[], at: number, depth: number): Block {
  const [mark = ''] = ITEM.exec(lines[at] ?? '') ?? [];
  const width = mark.trimEnd().length + 1;
  const inner = [(lines[at] ?? '').slice(mark.length)];
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? '';
    const indent = line.length - line.trimStart().length;
    const isEmpty = line.trim() === '';
    const isAfterGap = lines[end - 1]?.trim() === '';
    if (isEmpty && (lines[end + 1] ?? '').trim() === '') break;
    if (!isEmpty && indent < Math.min(width, 2) && (isAfterGap || startsBlock(line))) break;
    inner.push(line.slice(Math.min(indent, width)));
  }
  while (end < lines.length && lines[end]?.trim() === '' && kindOfItem(lines[end + 1] ?? '') !== null) end += 1;
  const html = blocksHtml(inner, depth + 1);
  const [, only] = /^<p>([^]*)<\/p>$/.exec(html) ?? [];
  const isTight = only !== undefined && !only.includes('<p>');
  return { html: `<li>${isTight ? only : html.replace(/^<p>([^]*?)<\/p>(?=\n<[uo]l>)/, '$1')}</li>`, end };
}

function startsBlock(line: string): boolean {
  return HEADING.test(line) || FENCE.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

function paragraph(lines: readonly string[], at: number, depth: number): Block {
  const text = [(lines[at] ?? '').trim()];
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? '';
    if (line.trim() === '' || (depth < DEEPEST && startsBlock(line))) break;
    text.push(line.trim());
  }
  return { html: `<p>${inlineHtml(text.join(' '))}</p>`, end };
}
