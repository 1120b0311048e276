import { freshness } from '../http/cache.ts';
import { readAboutFile } from '../about/about-file.ts';
import type { RetirementReason } from '../about/about-document.ts';
import { replacementOf, retirementOf } from '../about/retirement.ts';
import type { AppFacts, RequestedApps, DocumentFacts, ResourceKind, Snapshot } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { headerValue, secondsIn } from '../http/headers.ts';
import { type JudgeOptions, type Judging, judgeWhole, optionsOf, startJudging } from './judge.ts';
import type { Report } from '../findings/report.ts';
import { redact } from '../text/text.ts';
import { lastHop } from '../http/probe.ts';
import { listedVersionsIn, manifestAppsIn, versionFields } from '../registry/manifest.ts';
import { latestOf } from '../registry/precedence.ts';
import { isSemver } from '../registry/version.ts';

/** Judging for support: which party has to act, and how old the observed facts may be. */

/** Knowledge of a diagnosis in addition to its report. */
export interface Diagnosis {
  /** ISO 8601: when the registry was observed. */
  seenAt: string;
  origins: readonly string[];
  requested: RequestedApps | null;
  /** Of the documents that caches may hold: the manifest, and the metadata file with the longest lifetime. */
  copies: CachedCopy[];
  /** The proxy used to request the manifest, and the variable that names it; null for none. */
  proxy: string | null;
  /** The versions that their authors retired: the requested one, or the latest of each app; absent for none. */
  retired?: RetiredVersion[];
  /** True when the facts were loaded from a file that another run saved. */
  saved: boolean;
}

/** A version that is listed, and retired by its author. */
interface RetiredVersion {
  app: string;
  version: string;
  reason: RetirementReason;
  /** The version to use in its place; null if the author names none. */
  use: string | null;
}

/** The time for which caches may hold a document, according to its headers. */
interface CachedCopy {
  resource: ResourceKind;
  url: string;
  /** Seconds; null when the headers do not say. */
  lifetime: number | null;
  /** Age in seconds of the observed copy; 0 when no cache reported one. */
  age: number;
}

export interface Diagnosing extends Judging {
  /** Errors and warnings so far, in the order in which they were found. */
  faults(): number;
  /** The diagnosis without the report; call it after the last app. */
  diagnosis(): Diagnosis;
}

/** Like `startJudging`, with the actor and the responding server in the evidence of every finding. */
export function startDiagnosing(options: Omit<JudgeOptions, 'explains'> & { saved?: boolean }): Diagnosing {
  const copies = new Map<ResourceKind, CachedCopy>();
  let proxy: string | null = null;
  const retired: RetiredVersion[] = [];

  function remember(facts: DocumentFacts, resource: ResourceKind): void {
    if (isMissing(facts.web) || facts.url === null) return;
    const hop = lastHop(facts.web.server);
    if (hop === null || hop.status === 0) return;
    const { lifetime } = freshness(hop, Date.parse(options.now));
    const age = secondsIn(headerValue(hop.headers, 'age')) ?? 0;
    const before = copies.get(resource);
    if (before && (before.lifetime ?? 0) >= (lifetime ?? 0)) return;
    copies.set(resource, { resource, url: redact(facts.url), lifetime, age });
  }

  const judging = startJudging({ ...options, explains: true });
  return {
    ...judging,
    manifest(facts) {
      remember(facts, 'manifest');
      const over = isMissing(facts.web) ? null : lastHop(facts.web.server)?.proxy;
      proxy = over ? `${over.url} (${over.variable})` : null;
      judging.manifest(facts);
    },
    app(facts) {
      remember(facts.metadata, 'metadata');
      const found = retiredIn(facts, options.requested?.version ?? null);
      if (found !== null) retired.push(found);
      return judging.app(facts);
    },
    faults: () => judging.foundSoFar().faults,
    diagnosis: () => ({
      seenAt: options.now,
      origins: options.origins ?? [],
      requested: options.requested ?? null,
      copies: [...copies.values()],
      proxy,
      ...(retired.length > 0 && { retired }),
      saved: options.saved === true,
    }),
  };
}

/** The retirement of the requested version of an app, or of its latest one. */
function retiredIn({ key, metadata, about }: AppFacts, requested: string | null): RetiredVersion | null {
  if (about === undefined || isMissing(about.content)) return null;
  const file = readAboutFile(about.content).about;
  const listed = (listedVersionsIn(metadata.content) ?? []).flatMap((item) => {
    const { version } = versionFields(item);
    return version !== null && isSemver(version) ? [version] : [];
  });
  const version = requested ?? latestOf(listed);
  if (version === null || !listed.includes(version)) return null;
  const retirement = retirementOf(version, file);
  if (retirement === null) return null;
  return { app: key, version, reason: retirement.reason, use: replacementOf(version, file, listed) };
}

/** Diagnoses saved facts; gives the same result as the run that saved them. */
export function diagnose(
  snapshot: Snapshot,
  options: Pick<JudgeOptions, 'severities' | 'exceptions' | 'baseline'>,
): { report: Report; diagnosis: Diagnosis } {
  const judging = startDiagnosing({
    ...optionsOf(snapshot),
    ...options,
    command: 'diagnose',
    saved: true,
  });
  const unsaved = absentFacts(snapshot, snapshot.requested?.apps ?? []);
  const why = unsaved.length === 0 ? null : `the facts of ${unsaved.join(', ')} are not in this file`;
  const report = judgeWhole({ ...snapshot, incomplete: snapshot.incomplete ?? why }, judging, 0);
  return { report, diagnosis: judging.diagnosis() };
}

/** The requested apps that are listed but missing from the saved facts. */
function absentFacts({ manifest, apps }: Snapshot, keys: readonly string[]): string[] {
  const listed = manifestAppsIn(manifest.content);
  const saved = new Set(apps.map((app) => app.key));
  return keys.filter((key) => listed !== null && Object.hasOwn(listed, key) && !saved.has(key));
}
