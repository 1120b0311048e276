import { ABOUT_FIELDS, type AboutApp, type Retirement } from '../core/about/about-file.ts';
import type { AppField, FieldKind } from '../core/registry/app-fields.ts';
import { type AppFields, MANIFEST_FIELDS } from '../core/registry/manifest.ts';
import { codeText, type Html, html, sanitized, untrusted } from './html.ts';
import { externalLink, notesMarkup } from './notes.ts';

/** Claims of authors about their apps and versions, as pages and feeds show them. */

const REASONS: Readonly<Record<Retirement['reason'], string>> = {
  security: 'because it has a security problem',
  broken: 'because it does not work',
  superseded: 'because another version replaces it',
  unmaintained: 'because it is not maintained',
  legal: 'for legal reasons',
};

/**
 * A sentence that says why a version is retired, followed by what the author says about it.
 * @param what the version, in the sentence
 */
export function retirementText({ reason, message, since, use }: Retirement, what = 'this version'): string {
  const day = since === null ? '' : ` on ${sanitized(since, 20)}`;
  const instead = use === null ? '' : ` Use ${sanitized(use, 60)} instead.`;
  return `The author retired ${what}${day} ${REASONS[reason]}: ${sentence(sanitized(message, 300))}${instead}`;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Marks a version as retired. */
export function retiredChip({ reason }: Retirement): Html {
  return html`<span class="chip ${reason === 'security' ? 'bad' : 'warn'}">Retired</span>`;
}

/** Links of the author, with labels. A URL that is not safe to follow is shown as text. */
export function aboutLinks(app: AboutApp): [label: string, value: Html][] {
  return shown(SHOWN_FIELDS, app);
}

/** The optional fields of an entry of the manifest, with labels: the others have a place of their own on each page. */
export function optionalFields(fields: Partial<AppFields>): [label: string, value: Html][] {
  return shown(
    MANIFEST_FIELDS.filter(({ required }) => required === undefined),
    fields,
  );
}

function shown<Name extends string>(
  fields: readonly AppField<Name>[],
  values: Readonly<Partial<Record<Name, string | null>>>,
): [label: string, value: Html][] {
  return fields.flatMap(({ name, label, kind }) => {
    const value = values[name] ?? null;
    return value === null ? [] : [[label, FIELD_VALUES[kind](value)]];
  });
}

const FIELD_VALUES: Record<FieldKind, (value: string) => Html> = {
  text: (value) => untrusted(value, 300),
  color: (value) => codeText(value, 40),
  icon: (value) => externalLink(value, value),
  'metadata-url': (value) => externalLink(value, value),
  'page-url': (value) => externalLink(value, value),
  'support-url': supportLink,
  license: (value) => untrusted(value, 200),
};

/** The license after the links. */
const SHOWN_FIELDS = [
  ...ABOUT_FIELDS.filter(({ kind }) => kind !== 'license'),
  ...ABOUT_FIELDS.filter(({ kind }) => kind === 'license'),
];

const MAIL = /^mailto:([\w.+-]+@[\w.-]+)$/;

function supportLink(url: string): Html {
  const address = MAIL.exec(url)?.[1];
  return address === undefined
    ? externalLink(url, url)
    : html`<a href="mailto:${address}">${codeText(address, 300)}</a>`;
}

/** The notes of a version: shown, or on demand. */
export function notesSection(notes: string, isOpen: boolean): Html {
  const shown = html`<div class="release-notes">${notesMarkup(notes)}</div>`;
  return isOpen
    ? shown
    : html`<details>
        <summary>Notes</summary>
        ${shown}
      </details>`;
}

/** When a version was published, as its author says. */
export function publishedText(published: string): Html {
  return html`published <time datetime="${published}">${sanitized(published.slice(0, 10), 10)}</time>, says the author`;
}
