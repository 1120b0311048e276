import { ruleById } from '../rules/lookup.ts';
import { matchesGlob } from '../text/glob.ts';
import { judgeSubject } from './evaluate.ts';
import type { Exception, ExceptionList, Finding, KnownFinding } from '../findings/report.ts';
import { locationOf } from './location.ts';
import { isAbout, overlaps } from './mark-findings.ts';
import type { RunRecord } from './record.ts';
import { NOT_REQUESTED, type Run } from './run.ts';
import { isOff } from './settings.ts';

/** Exceptions and known findings that match nothing, though what they are about was judged. */

/** Reports the exceptions that match nothing; call it once, after everything else was judged. */
export function judgeExceptions(run: Run, { document, pointer, entries, positionOf }: ExceptionList): void {
  const { record } = run;
  const judged = judgedPart(run);
  if (judged === null) return;
  for (const [index, exception] of entries.entries()) {
    const isListed = isAppListed(record, exception, judged);
    if (isListed === null) continue;
    const isUsed = record.findings.some((finding) => isAbout(exception, finding));
    const place = locationOf('manifest', NOT_REQUESTED, {
      app: exception.app?.includes('*') ? null : exception.app,
      document,
      file: document?.file ?? null,
      pointer: `${pointer}/${index}`,
    });
    judgeSubject(run, 'exception', { exception, isListed, isUsed, keys: [...judged.listed] }, place);
  }
  if (document !== null) record.closeDocument(document, positionOf);
}

/** The known findings that do not occur, as far as what they are about was judged; call it after everything else. */
export function resolvedFindings(
  run: Run,
  known: readonly KnownFinding[],
  findings: readonly Pick<Finding, 'fingerprint'>[],
): KnownFinding[] {
  const judged = known.length === 0 ? null : judgedPart(run);
  if (judged === null) return [];
  const occurring = new Set(findings.map(({ fingerprint }) => fingerprint));
  return known
    .filter(({ fingerprint }) => !occurring.has(fingerprint))
    .filter(({ rule, app, version }) => {
      const range = version === null ? null : { text: version, includes: () => false };
      return isAppListed(run.record, { rule, app, version: range }, judged) !== null;
    })
    .map(({ rule, app, version, registry, fingerprint }) => ({ rule, app, version, registry, fingerprint }));
}

/** The part of a registry that a run judged. */
interface JudgedPart {
  listed: ReadonlySet<string>;
  /** The apps with a verdict. */
  apps: ReadonlySet<string>;
  /** True if all of the registry was judged. */
  isWhole: boolean;
  /** True if this run reports on what the manifest does not list. */
  reportsUnlisted: boolean;
}

/** Null if nothing is known to match no exception. */
function judgedPart({ record, manifest, settings: { shard } }: Run): JudgedPart | null {
  const known = manifest?.apps ?? null;
  if (known === null || record.notJudged.isIncomplete) return null;
  const listed = new Set(Object.keys(known));
  const apps = new Set(record.verdicts.map(({ key }) => key));
  const isWhole = shard === null && [...listed].every((key) => apps.has(key));
  return { listed, apps, isWhole, reportsUnlisted: shard === null ? isWhole : shard.index === 1 };
}

/**
 * True if the manifest lists an app that the exception is about; null if that, or what the exception is about, was not
 * judged.
 */
function isAppListed(
  record: RunRecord,
  exception: Pick<Exception, 'rule' | 'app' | 'version'>,
  judged: JudgedPart,
): boolean | null {
  const { app } = exception;
  const rule = ruleById(exception.rule);
  if (rule === undefined || isOff(record.overrides, rule)) return null;
  const keys = app === null ? [] : [...judged.listed].filter((key) => matchesGlob(app, key));
  // A rule about the manifest may be about apps that are not listed any more.
  if (app !== null && keys.length === 0 && rule.on !== 'manifest') return judged.reportsUnlisted ? false : null;
  const isCovered = app === null ? judged.isWhole : keys.every((key) => judged.apps.has(key));
  if (!isCovered || record.notJudged.entries.some((entry) => overlaps(exception, entry))) return null;
  const subjects = keys.length === 0 ? [null] : keys;
  return subjects.every((key) => record.evaluated?.has(rule.id, key)) ? true : null;
}
