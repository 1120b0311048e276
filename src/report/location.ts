import { type Finding, type Report } from '../core/findings/report.ts';
import { SEVERITIES } from '../core/values/severity.ts';
import { parseUrl } from '../core/url/url.ts';

/** The location of a finding, for consumers that only know files of a repository. */
export interface FindingLocation {
  /** Below the repository's root, with `/`; starts with `..` if outside of it. Null for what a host serves. */
  path: string | null;
  /** The URL of the document that `line` and `column` refer to, or of the request. */
  url: string | null;
  line: number | null;
  column: number | null;
  /** The URL that the finding is about, if `url` is that of the document which references it. */
  about: string | null;
}

/** The location of a finding. A position is given only if it refers to that file or URL. */
export function locationOf(finding: Finding, report: Report, folder: string): FindingLocation {
  const { file, url, line, column } = finding;
  if (file !== null) return { path: pathBelow(folder, file), url, line, column, about: null };
  // A finding about a URL has the position of the field that references it, in the referencing document.
  if (isReferencedByManifest(finding)) return { path: null, url: report.target, line, column, about: url };
  if (finding.resource === 'artifact')
    return { path: null, url: urlOr(report.target, url), line: null, column: null, about: null };
  return { path: null, url: urlOr(report.target, url), line, column, about: null };
}

const REFERENCE = /^\/apps\/[^/]*\/(appMetadataUrl|blockStyle\/iconUrl)$/;

function isReferencedByManifest({ resource, pointer }: Finding): boolean {
  return resource !== 'manifest' && pointer !== null && REFERENCE.test(pointer);
}

/** The URL if it is an http or https URL, and the fallback otherwise. */
function urlOr(fallback: string, url: string | null): string {
  return url !== null && webUrl(url) !== null ? url : fallback;
}

/** The text as a URL if it is an http or https URL. */
export function webUrl(text: string): URL | null {
  return /^https?:/i.test(text) ? parseUrl(text) : null;
}

/** Joins and normalizes; an absolute path, with or without a drive, is returned unchanged. */
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

/** Host and path, for consumers that accept paths only: no scheme, no query. */
export function hostAndPath(url: string): string {
  const parsed = webUrl(url);
  return parsed === null ? pathBelow('', url) : pathBelow(parsed.host, parsed.pathname.slice(1));
}

/** Errors first, then warnings, then notes; each in the given order. @param findingOf the finding of an item */
export function mostSevereFirst(findings: readonly Finding[]): Finding[] {
  return SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}
