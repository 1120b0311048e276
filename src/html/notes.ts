import { raw } from 'hono/html';
import MarkdownIt from 'markdown-it';
import { parseUrl } from '../core/url/url.ts';
import { redact, withVisibleControls } from '../core/text/text.ts';
import { codeText, html, type Html, withoutStackedMarks } from './html.ts';

/** Links to URLs that others wrote. */

/** A link if the URL is safe to follow; otherwise the text. */
export function externalLink(text: string, url: string | null): Html {
  const href = url === null ? null : safeHref(url);
  return href === null
    ? codeText(text, 300)
    : html`<a href="${href}" rel="noreferrer noopener">${codeText(text, 300)}</a>`;
}

/** Characters; a longer URL is not that of a repository or a run. */
const LONGEST_HREF = 1000;

/** Only https without user information and secrets, and as it is shown: nothing is decoded, normalized or hidden. */
export function safeHref(text: string): string | null {
  if (text.length > LONGEST_HREF || !/^https:\/\/[\x21-\x7e]+$/.test(text) || redact(text) !== text) return null;
  const url = parseUrl(text);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  return url.href;
}

/** The page of a commit: GitLab has it elsewhere than GitHub, and other hosts as GitHub. */
export function commitUrl(repository: string | null, commit: string): string | null {
  if (repository === null || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return null;
  const url = repository.replace(/\/+$/, '').replace(/\.git$/, '');
  const isGitLab = parseUrl(url)?.hostname.startsWith('gitlab.') === true;
  return `${url}${isGitLab ? '/-' : ''}/commit/${commit}`;
}

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
