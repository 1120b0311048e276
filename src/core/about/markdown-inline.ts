import { parseUrl } from '../http/url.ts';
import { withVisibleControls } from '../text/text.ts';

/**
 * The inline part of the Markdown subset: code spans, emphasis, links and autolinks. Every text is escaped when it is
 * added, so no input becomes a tag. It takes time in proportion to the length of the text.
 */

/** Text as HTML: nothing in it is a tag or an entity, and control and bidirectional characters are visible. */
export function escaped(text: string): string {
  return withVisibleControls(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** Longer runs are not read as a link, so that a text of brackets takes no time. */
const LONGEST_LINK = 2000;

const TOKENS = new RegExp(
  [
    String.raw`\\([!-/:-@[-\`{-~])`,
    '(`+)',
    String.raw`!?\[([^\[\]\n]{0,500})\]\(\s{0,3}<?([^\s()<>]{1,${LONGEST_LINK}}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)>?(?:\s{1,3}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?\s{0,3}\)`,
    String.raw`<((?:https?://|mailto:)[^\s<>]{1,${LONGEST_LINK}})>`,
    String.raw`(\bhttps?://[^\s<>"'\`*]{1,${LONGEST_LINK}})`,
    String.raw`(\*\*|__|~~|\*|_)`,
  ].join('|'),
  'g',
);

const TAGS: Readonly<Record<string, string>> = { '**': 'strong', __: 'strong', '*': 'em', _: 'em', '~~': 'del' };

interface Piece {
  html: string;
  /** The mark, if the piece may open or close emphasis. */
  mark?: { text: string; opens: boolean; closes: boolean };
}

/** A paragraph's text as HTML. @param text without block structure; line breaks are spaces */
export function inlineHtml(text: string): string {
  const pieces: Piece[] = [];
  let at = 0;
  TOKENS.lastIndex = 0;
  for (let match = TOKENS.exec(text); match !== null; match = TOKENS.exec(text)) {
    pieces.push({ html: escaped(text.slice(at, match.index)) });
    const { piece, end } = pieceAt(text, match);
    pieces.push(piece);
    at = end;
    TOKENS.lastIndex = end;
  }
  pieces.push({ html: escaped(text.slice(at)) });
  return withEmphasis(pieces);
}

function pieceAt(text: string, match: RegExpExecArray): { piece: Piece; end: number } {
  const [all, character, ticks, label, target, autolink, bare, mark] = match;
  const end = match.index + all.length;
  if (character !== undefined) return { piece: { html: escaped(character) }, end };
  if (ticks !== undefined) return codeAt(text, end, ticks);
  if (label !== undefined && target !== undefined) return { piece: { html: linkHtml(target, label, all) }, end };
  if (autolink !== undefined)
    return { piece: { html: linkHtml(autolink, autolink.replace(/^mailto:/, ''), all) }, end };
  if (bare !== undefined) {
    const url = bare.replace(/[.,:;!?)\]]+$/, '');
    return { piece: { html: linkHtml(url, url, url) }, end: match.index + url.length };
  }
  return { piece: markAt(text, match.index, mark ?? ''), end };
}

/** A code span, which ends with as many backticks as it begins with. */
function codeAt(text: string, start: number, ticks: string): { piece: Piece; end: number } {
  for (let end = text.indexOf(ticks, start); end >= 0; end = text.indexOf(ticks, end)) {
    const run = /^`+/.exec(text.slice(end, end + 200))?.[0].length ?? 0;
    if (run === ticks.length) {
      const code = text.slice(start, end).replace(/^ (.*\S.*) $/s, '$1');
      return { piece: { html: `<code>${escaped(code)}</code>` }, end: end + run };
    }
    end += run;
  }
  return { piece: { html: escaped(ticks) }, end: start };
}

/** A link to http(s) or mailto; anything else, such as javascript:, data: and an image, stays the text that it is. */
function linkHtml(target: string, label: string, source: string): string {
  const url = /^(?:https?:\/\/|mailto:)/i.test(target) ? parseUrl(target) : null;
  if (url === null || !SCHEMES.has(url.protocol) || source.startsWith('!')) return escaped(source);
  const words = escaped(label.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  return `<a href="${escaped(url.href)}" rel="nofollow noopener noreferrer">${words}</a>`;
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

function markAt(text: string, index: number, mark: string): Piece {
  const before = text[index - 1] ?? ' ';
  const after = text[index + mark.length] ?? ' ';
  // An underscore within a word, as in file_name, is no mark.
  const isInWord = mark.startsWith('_') && /\w/.test(before) && /\w/.test(after);
  if (isInWord) return { html: escaped(mark) };
  return { html: escaped(mark), mark: { text: mark, opens: /\S/.test(after), closes: /\S/.test(before) } };
}

/** The pieces as HTML: marks that form pairs become tags, and the others stay text. */
function withEmphasis(pieces: readonly Piece[]): string {
  const html = pieces.map((piece) => piece.html);
  /** The indexes of open marks. */
  const open: number[] = [];
  for (const [index, { mark }] of pieces.entries()) {
    if (mark === undefined) continue;
    const at = mark.closes ? open.findLastIndex((one) => pieces[one]?.mark?.text === mark.text) : -1;
    const start = open[at];
    if (start !== undefined && start < index - 1 && isFilled(html, start, index)) {
      const tag = TAGS[mark.text] ?? 'em';
      html[start] = `<${tag}>`;
      html[index] = `</${tag}>`;
      // What is open within stays text, so that tags do not overlap.
      open.length = at;
    } else if (mark.opens && open.length < MOST_OPEN) open.push(index);
  }
  return html.join('');
}

/** More open marks are text. */
const MOST_OPEN = 50;

function isFilled(html: readonly string[], start: number, end: number): boolean {
  for (let index = start + 1; index < end; index += 1) if (html[index] !== '') return true;
  return false;
}
