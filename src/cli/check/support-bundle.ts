import { counted } from '../../core/text/text.ts';
import type {
  AppFacts,
  HostFacts,
  Missing,
  RequestedApps,
  DocumentFacts,
  ServiceFacts,
} from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import type { FactsPart } from '../../core/facts/part.ts';
import { kindOfContent } from '../../core/text/file-type.ts';
import { isObject, parseDocument } from '../../core/json/json.ts';
import { manifestApps } from '../../core/registry/manifest.ts';
import type { Report } from '../../core/findings/report.ts';
import { openPartFile, factsJson, type SnapshotHeader } from './facts-file.ts';

/**
 * A support bundle: facts and report in one file that `appreg judge` and `appreg diagnose` read. Unlike saved facts its
 * size is limited, so that it can be attached to a ticket; it records what is omitted.
 */
export interface SupportBundle {
  add(part: FactsPart): void;
  /**
   * Renames the completed file to its final path; without a manifest, no file is written. @param incomplete as in
   * Snapshot
   */
  finish(report: Report, incomplete: string | null, run: object): void;
  /** Removes the partial file. Only the first call of `finish` or `abandon` takes effect. */
  abandon(): void;
}

export interface SupportBundleOptions {
  head: SnapshotHeader & { requested: RequestedApps | null };
  /** Removes secrets from a text. */
  conceal(text: string): string;
  /** Errors and warnings found so far: apps that have some take precedence if not all fit. */
  faults(): number;
  /** Maximum characters of facts; many trackers accept attachments of 10 MB or more. */
  budget?: number;
}

/** Maximum entries of the lists of a report. */
const LIMITS = [
  ['findings', 1000],
  ['notJudged', 500],
  ['apps', 5000],
] as const;

/** @param path absolute; an existing file is replaced atomically, and only its owner may read it */
export function openSupportBundle(
  path: string,
  { head, conceal, faults, budget = 8_000_000 }: SupportBundleOptions,
): SupportBundle {
  const file = openPartFile(path);
  const apps: string[] = [];
  const keys = new Set<string>();
  let limited: readonly HostFacts[] = [];
  let joined: ServiceFacts | Missing | null = null;
  let against: string | null = null;
  let manifest: DocumentFacts | null = null;
  let room = budget;
  let before = 0;
  let leftOut = 0;

  const json = (value: unknown): string => factsJson(value, conceal);

  function addApp(facts: AppFacts): void {
    const text = json(withoutBytes(facts));
    const faulty = faults() > before;
    before = faults();
    // Half of the budget is reserved for later apps with errors or warnings.
    if (text.length > (faulty ? room : room - budget / 4)) {
      leftOut += 1;
      return;
    }
    room -= text.length;
    apps.push(text);
    keys.add(facts.key);
  }

  return {
    add(part) {
      if (part.kind === 'manifest') {
        manifest = part.facts;
        room -= Math.min(sizeOf(manifest), budget / 2);
        before = faults();
      } else if (part.kind === 'app') addApp(part.facts);
      else if (part.kind === 'hosts') limited = part.facts;
      else if (part.kind === 'service') joined = part.facts;
      else if (part.kind === 'against') against = json(part.facts);
    },
    finish(report, incomplete, run) {
      if (!file.isOpen || manifest === null) return;
      const whole = sizeOf(manifest) <= budget / 2;
      const isCompared = against === null || against.length <= budget / 4;
      const why = incomplete ?? (leftOut > 0 ? `the facts of ${counted(leftOut, 'app')} are not in this file` : null);
      const fields = [
        '"snapshot":1',
        ...Object.entries(head).map(([name, value]) => `"${name}":${json(value)}`),
        `"run":${json(run)}`,
        `"leftOut":${json(omissions(report, leftOut, whole, isCompared))}`,
        `"report":${json(shortenReport(report))}`,
        `"manifest":${json(whole ? manifest : reduceManifest(manifest, keys, budget / 2))}`,
        `"apps":[\n${apps.join(',\n')}\n]`,
        '"orphans":[]',
        ...(limited.length === 0 ? [] : [`"hosts":${json(limited)}`]),
        ...(joined === null ? [] : [`"service":${json(joined)}`]),
        ...(against === null || !isCompared ? [] : [`"against":${against}`]),
        `"incomplete":${json(why)}`,
      ];
      file.write(`{${fields.join(',\n')}}\n`);
      file.finish();
    },
    abandon: () => file.abandon(),
  };
}

/**
 * Lists in sentences the parts that the file does not contain.
 * @param apps without facts
 * @param whole whether the manifest is whole
 * @param isCompared whether the state that it was compared with is in the file
 */
function omissions(report: Report, apps: number, whole: boolean, isCompared: boolean): string[] {
  const omitted = apps > 0 ? [`the facts of ${counted(apps, 'app')}, those without findings first`] : [];
  if (!whole) omitted.push('the text of the manifest, except for the entries of the apps in this file');
  if (!isCompared) omitted.push('the state that it was compared with');
  for (const [name, limit] of LIMITS) {
    const { length } = report[name];
    if (length > limit) omitted.push(`${length - limit} of the report’s ${name}`);
  }
  return omitted;
}

/** The report with at most as many entries as the file may contain. */
function shortenReport(report: Report): Report {
  return {
    ...report,
    ...Object.fromEntries(LIMITS.map(([name, limit]) => [name, report[name].slice(0, limit)])),
  };
}

/**
 * Drops the first bytes of archives, which may contain a whole small artifact: rules only need the gzip header.
 * Anything that is not a complete archive keeps its first bytes, which identify it.
 */
function withoutBytes(facts: AppFacts): AppFacts {
  const artifacts = facts.artifacts.map((artifact) => {
    const { content, archive } = artifact;
    if (isMissing(content) || isMissing(archive) || archive.fault !== null || kindOfContent(content.head) !== 'gzip')
      return artifact;
    const { again } = artifact;
    const shorter = { ...artifact, content: { ...content, head: gzipHeader(content.head) } };
    if (again === undefined || isMissing(again) || kindOfContent(again.head) !== 'gzip') return shorter;
    return { ...shorter, again: { ...again, head: gzipHeader(again.head) } };
  });
  return { ...facts, artifacts };
}

/** The gzip header: ten bytes, padded by two for whole base64 groups. */
function gzipHeader(head: string): string {
  return head.slice(0, 16);
}

function sizeOf({ content }: DocumentFacts): number {
  return isMissing(content) ? 0 : (content.text ?? content.base64 ?? '').length;
}

/** The manifest reduced to the entries of these apps; without its text if that exceeds the limit. */
function reduceManifest(manifest: DocumentFacts, keys: ReadonlySet<string>, limit: number): DocumentFacts {
  const { content } = manifest;
  if (isMissing(content)) return manifest;
  const value = parseDocument(content).value;
  const apps = manifestApps(value);
  if (isObject(value) && apps !== null) {
    const entries = Object.entries(apps).filter(([key]) => keys.has(key));
    const text = JSON.stringify({ ...value, apps: Object.fromEntries(entries) }, null, 2);
    if (text.length <= limit) return { ...manifest, content: { ...content, text, base64: null } };
  }
  return { ...manifest, content: { missing: { code: 'not-saved', bytes: content.bytes } } };
}
