import type { Shard } from '../facts/facts.ts';
import { ruleById } from '../rules/lookup.ts';
import { matchesGlob } from '../text/glob.ts';
import { type JudgeContext, NOT_REQUESTED } from './context.ts';
import type { Exception, ExceptionList } from '../findings/report.ts';
import { locationOf } from './location.ts';
import { isAbout, overlaps } from './mark-findings.ts';
import type { RunRecord } from './record.ts';
import { isOff } from './settings.ts';

/** Judges the exceptions themselves: one that matches nothing is reported, if what it is about was judged. */

/** What a run was to judge. */
export interface RunScope {
  /** The keys of the manifest; null if it was not read. */
  listed: ReadonlySet<string> | null;
  shard: Pick<Shard, 'index'> | null;
}

/** Reports the exceptions that match nothing; call it once, after everything else was judged. */
export function judgeExceptions({ run, dispatcher }: JudgeContext, list: ExceptionList, scope: RunScope): void {
  const { document, pointer, entries, positionOf } = list;
  const judged = judgedPart(run, scope);
  if (judged === null) return;
  for (const [index, exception] of entries.entries()) {
    const isListed = isAppListed(run, exception, judged);
    if (isListed === null) continue;
    const isUsed = run.findings.some((finding) => isAbout(exception, finding));
    const place = locationOf('manifest', NOT_REQUESTED, {
      app: exception.app?.includes('*') ? null : exception.app,
      document,
      file: document?.file ?? null,
      pointer: `${pointer}/${index}`,
    });
    dispatcher.dispatch('exception', { exception, isListed, isUsed, keys: [...judged.listed] }, place);
  }
  if (document !== null) run.closeDocument(document, positionOf);
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
function judgedPart(run: RunRecord, { listed, shard }: RunScope): JudgedPart | null {
  if (listed === null || run.notJudged.isIncomplete) return null;
  const apps = new Set(run.verdicts.map(({ key }) => key));
  const isWhole = shard === null && [...listed].every((key) => apps.has(key));
  return { listed, apps, isWhole, reportsUnlisted: shard === null ? isWhole : shard.index === 1 };
}

/**
 * True if the manifest lists an app that the exception is about; null if that, or what the exception is about, was not
 * judged.
 */
function isAppListed(run: RunRecord, exception: Exception, judged: JudgedPart): boolean | null {
  const { app } = exception;
  const rule = ruleById(exception.rule);
  if (rule === undefined || isOff(run.overrides, rule)) return null;
  const keys = app === null ? [] : [...judged.listed].filter((key) => matchesGlob(app, key));
  // A rule about the manifest may be about apps that are not listed any more.
  if (app !== null && keys.length === 0 && rule.on !== 'manifest') return judged.reportsUnlisted ? false : null;
  const isCovered = app === null ? judged.isWhole : keys.every((key) => judged.apps.has(key));
  if (!isCovered || run.notJudged.entries.some((entry) => overlaps(exception, entry))) return null;
  const subjects = keys.length === 0 ? [null] : keys;
  return subjects.every((key) => run.evaluated?.has(rule.id, key)) ? true : null;
}
