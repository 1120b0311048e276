import { type Finding, type Report, SEVERITIES } from '../core/engine/report.ts';
import { parseUrl } from '../core/http/url.ts';

/** Where a finding lies, for readers that know files of a repository and nothing else. */
export interface FindingLocation {
  /** Below the repository's root, with `/`; it begins with `..` when it lies outside. Null for what a host serves. */
  path: string | null;
  /** The address of the document that `line` and `column` lead into, or of what was asked. */
  url: string | null;
  line: number | null;
  column: number | null;
  /** The URL that it is about, where `url` is that of the document which names it. */
  about: string | null;
}

/** The place of a finding. A position is given only where it leads into that very file or URL. */
export function locationOf(finding: Finding, report: Report, folder: string): FindingLocation {
  const { file, url, line, column } = finding;
  if (file !== null) return { path: pathBelow(folder, file), url, line, column, about: null };
  // What is said of a URL carries the position of the field that names it, in the document before it.
  if (namedInManifest(finding)) return { path: null, url: report.target, line, column, about: url };
  if (finding.resource === 'artifact')
    return { path: null, url: asked(url, report), line: null, column: null, about: null };
  return { path: null, url: asked(url, report), line, column, about: null };
}

const NAMED = /^\/apps\/[^/]*\/(appMetadataUrl|blockStyle\/iconUrl)$/;

function namedInManifest({ resource, pointer }: Finding): boolean {
  return resource !== 'manifest' && pointer !== null && NAMED.test(pointer);
}

function asked(url: string | null, report: Report): string {
  return url !== null && webUrl(url) !== null ? url : report.target;
}

/** The URL that a text is, if it is one of http or https. */
export function webUrl(text: string): URL | null {
  return /^https?:/i.test(text) ? parseUrl(text) : null;
}

/** Joins and normalises; a path that begins at the root, or on a drive, stays as it is. */
function pathBelow(folder: string, file: string): string {
  if (/^([a-z]:)?[\\/]/i.test(file)) return file.replaceAll('\\', '/');
  const parts: string[] = [];
  for (const part of `${folder}/${file}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/') || '.';
}

/** Host and path, for readers that take paths only: no scheme, no query. */
export function hostAndPath(url: string): string {
  const parsed = webUrl(url);
  return parsed === null ? pathBelow('', url) : pathBelow(parsed.host, parsed.pathname.slice(1));
}

/** Errors first, then warnings, then notes; in the report's order within each. */
export function mostSevereFirst(findings: readonly Finding[]): Finding[] {
  return SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}
