import { grouped } from 'appreg';
import { html, type Html, NO_MARKUP, untrusted } from 'appreg/node';

/** Links between pages: breadcrumbs, tabs, and numbered pages of a list. All are links. */

interface Crumb {
  href: string;
  text: string;
}

/** The pages above this one. */
export function breadcrumbs(...crumbs: readonly Crumb[]): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb">
    <ol>
      ${crumbs.map(({ href, text }) => html`<li><a href="${href}">${untrusted(text, 60)}</a></li>`)}
    </ol>
  </nav>`;
}

interface Tab {
  href: string;
  label: string;
  isCurrent: boolean;
  /** Shown next to the label; null for none. */
  number: number | null;
}

/** Links to the parts of a page, or to its filters. @param current `page` if each has a page of its own */
export function tabs(label: string, list: readonly Tab[], current: 'page' | 'true'): Html {
  return html`<nav class="${current === 'page' ? 'tabs' : 'filters'}" aria-label="${label}">
    ${list.map(
      (tab) =>
        html`<a href="${tab.href}" ${tab.isCurrent ? html`aria-current="${current}"` : NO_MARKUP}
          >${tab.label}${tab.number === null ? NO_MARKUP : html` <span class="number">${grouped(tab.number)}</span>`}</a
        >`,
    )}
  </nav>`;
}

interface PageOf {
  /** From 1. */
  page: number;
  pageSize: number;
  total: number;
}

/** `51–100 of 5,012`. */
function rangeOf({ page, pageSize, total }: PageOf): string {
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  return `${grouped(first)}–${grouped(last)} of ${grouped(total)}`;
}

/** Links to the neighboring pages of a list; nothing if it has one page. @param pathOf a page */
export function pageLinks(list: PageOf, pathOf: (page: number) => string): Html {
  const { page, pageSize, total } = list;
  const last = Math.ceil(total / pageSize);
  if (last <= 1) return NO_MARKUP;
  const to = (target: number, label: string, rel: string): Html =>
    target < 1 || target > last || target === page
      ? html`<span class="button disabled" aria-hidden="true">${label}</span>`
      : html`<a class="button" href="${pathOf(target)}" ${rel === '' ? NO_MARKUP : html`rel="${rel}"`}>${label}</a>`;
  return html`<nav class="pager" aria-label="Pages">
    <span class="muted">${rangeOf(list)}</span>
    <span class="pager-links">
      ${to(page === 1 ? 0 : 1, 'First', '')} ${to(page - 1, 'Previous', 'prev')} ${to(page + 1, 'Next', 'next')}
      ${to(page === last ? 0 : last, 'Last', '')}
    </span>
  </nav>`;
}

/** Links of a list that continues after a cursor. @param first of the first page, or null on it */
export function cursorLinks(first: string | null, next: string | null): Html {
  if (first === null && next === null) return NO_MARKUP;
  return html`<nav class="pager" aria-label="Pages">
    <span class="pager-links">
      ${first === null ? NO_MARKUP : html`<a class="button" href="${first}">First page</a>`}
      ${next === null ? NO_MARKUP : html`<a class="button" href="${next}" rel="next">Next page</a>`}
    </span>
  </nav>`;
}

/** The paths of pages. */

/** Keys that a path may contain as they are: not empty, and without dot segments. */
const PLAIN_KEY = /^[\w-][\w.~-]*$/;

/**
 * The page of an app. A key may be any text, including one that would change the path: then it is in the query.
 * @param after the cursor of a page of its versions; null for the first page
 */
export function appPath(subscriptionId: string, key: string, after: string | null = null): string {
  const isPlain = PLAIN_KEY.test(key);
  return pathWithQuery(`apps/${subscriptionId}${isPlain ? `/${key}` : ''}`, { key: isPlain ? null : key, after });
}

/** The pages of a registry. */
export const REGISTRY_TABS = ['apps', 'health', 'history', 'settings'] as const;
export type RegistryTab = (typeof REGISTRY_TABS)[number];

/** @param id of the subscription */
export function registryPath(id: string, tab: RegistryTab = 'apps'): string {
  return `settings/registries/${id}${tab === 'apps' ? '' : `/${tab}`}`;
}

/** A path with the parameters of its query that are not null. */
export function pathWithQuery(path: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.append(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
