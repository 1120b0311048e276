import { raw } from 'hono/html';
import MarkdownIt from 'markdown-it';
import { parseUrl } from '../core/http/url.ts';
import { withVisibleControls } from '../core/text/text.ts';
import { type Html, withoutStackedMarks } from './html.ts';

/**
 * Release notes: a subset of Markdown as HTML. Headings, paragraphs, lists, quotes, code and rules; emphasis and links.
 * HTML in the text is shown as text. There are no images, styles and identifiers, and links lead to http(s) and mailto
 * only.
 */

/** In characters; what follows is left out. */
const LONGEST = 100_000;
/** Nesting of lists and quotes; what is deeper is left out. */
const DEEPEST = 20;
/** The level of the highest heading, since a page has headings of its own. */
const FIRST_HEADING = 3;

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

const markdown = new MarkdownIt({ html: false, linkify: true, maxNesting: DEEPEST }).disable([
  'image',
  'table',
  'reference',
  'entity',
]);
// Only URLs with a scheme: “config.json” and “clock.app” are no hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (url) => SCHEMES.has(parseUrl(url)?.protocol ?? '');

const { renderer, utils } = markdown;
const shown = (text: string): string => utils.escapeHtml(withVisibleControls(text)).replaceAll("'", '&#39;');
const codeBlock = (text: string): string => `<pre><code>${text.split('\n').map(shown).join('\n')}</code></pre>\n`;
renderer.rules.text = (tokens, at) => shown(tokens[at]?.content ?? '');
renderer.rules.text_special = renderer.rules.text;
renderer.rules.code_inline = (tokens, at) => `<code>${shown(tokens[at]?.content ?? '')}</code>`;
renderer.rules.code_block = (tokens, at) => codeBlock(tokens[at]?.content ?? '');
renderer.rules.fence = renderer.rules.code_block;
renderer.rules.link_open = (tokens, at) => {
  return `<a href="${shown(String(tokens[at]?.attrGet('href') ?? ''))}" rel="nofollow noopener noreferrer">`;
};
const headingTag = (tag: string): string => `h${Math.min(6, Number(tag.slice(1)) + FIRST_HEADING - 1)}`;
renderer.rules.heading_open = (tokens, at) => `<${headingTag(tokens[at]?.tag ?? 'h1')}>`;
renderer.rules.heading_close = (tokens, at) => `</${headingTag(tokens[at]?.tag ?? 'h1')}>\n`;

/**
 * Release notes as markup that contains only the tags of the subset.
 * @param text Markdown of any origin
 */
export function notesMarkup(text: string): Html {
  return raw(markdown.render(withoutStackedMarks(text.slice(0, LONGEST))).trimEnd());
}
