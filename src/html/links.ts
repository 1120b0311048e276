import { parseUrl } from '../core/http/url.ts';
import { redact } from '../core/text/text.ts';
import { code, type Html, html } from './html.ts';

/** Links to URLs that others wrote. */

/** A link if the URL is safe to follow; otherwise the text. */
export function linked(text: string, url: string | null): Html {
  const href = url === null ? null : safeHref(url);
  return href === null ? code(text, 300) : html`<a href="${href}" rel="noreferrer noopener">${code(text, 300)}</a>`;
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
