import {
  documentContent,
  documentText,
  type JsonValue,
  type ParsedDocument,
  parseDocument,
} from '../../src/core/json/json.ts';
import type { DocumentFacts, ResourceKind } from '../../src/core/facts/facts.ts';
import type { DocumentContent } from '../../src/core/json/content.ts';
import type { VersionEntry } from '../../src/core/registry/version-entry.ts';
import { type UrlParts, urlParts } from '../../src/core/url/url.ts';
import { isPlainUrl } from '../../src/core/url/url-error.ts';
import type { VersionFields } from '../../src/core/registry/manifest.ts';
import { versionEntry } from '../../src/core/registry/version-entry.ts';

/** Facts for the tests of core, from what a test specifies: a text, a URL, a list of versions. */

export const NOW = '2026-03-01T12:00:00.000Z';

/** 64 hexadecimal digits that look like a digest, another one for each number. */
export function digest(seed: number): string {
  let state = (seed * 2654435761 + 12345) >>> 0;
  let digits = '';
  while (digits.length < 64) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    digits += (state >>> 4).toString(16).padStart(7, '0');
  }
  return digits.slice(0, 64);
}

export function checksum(seed: number): string {
  return `sha256:${digest(seed)}`;
}

/** A document as text or as bytes (a string is never latin1: pass bytes for content that is not text). */
export function contentFrom(source: string | Uint8Array): DocumentContent {
  return typeof source === 'string' ? documentText(source) : documentContent(source);
}

/** Facts about a text for a rule about documents. */
export function documentFacts(
  source: string | Uint8Array,
  resource: ResourceKind = 'manifest',
): {
  resource: ResourceKind;
  facts: DocumentFacts;
  content: DocumentContent;
  reading: ParsedDocument;
  value: JsonValue;
} {
  const content = contentFrom(source);
  const reading = parseDocument(content);
  const facts: DocumentFacts = {
    url: null,
    file: 'registry.json',
    web: { missing: { code: 'offline' }, runWide: true },
    content,
  };
  return { resource, facts, content, reading, value: reading.value as JsonValue };
}

/** Facts about a URL for a rule about URLs; the URL must parse. */
export function urlFacts(
  resource: ResourceKind,
  url: string,
  now = NOW,
  registry: string | null = null,
): {
  resource: ResourceKind;
  url: string;
  parsed: UrlParts;
  isPlain: boolean;
  now: string;
  registry: UrlParts | null;
} {
  const parsed = urlParts(url);
  if (!parsed) throw new Error(`the test needs a URL that parses: ${url}`);
  return {
    resource,
    url,
    parsed,
    isPlain: isPlainUrl(url, parsed),
    now,
    registry: registry === null ? null : urlParts(registry),
  };
}

/** Elements of `versions`; fields that are not given are correct, and different for each. */
export function entries(
  ...list: (Partial<VersionFields> & Pick<VersionFields, 'version'> & { index?: number })[]
): VersionEntry[] {
  return list.map(({ index, ...entry }, i) =>
    versionEntry(index ?? i, {
      artifactUrl: `https://apps.example.com/apps/a/versions/${index ?? i}.tar.gz`,
      artifactChecksum: checksum((index ?? i) + 1),
      ...entry,
    }),
  );
}
