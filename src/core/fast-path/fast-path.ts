import type { JudgingRun } from '../engine/run.ts';
import type { JudgedApp } from '../engine/judged-app.ts';
import type { AppVerdict } from '../engine/report.ts';
import type { AppFacts, DocumentContent, DocumentFacts } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { isObject, type JsonObject, member, nonCanonicalValue, parseDocument } from '../json/json.ts';
import { openCleanVersions } from './clean-versions.ts';
import { isSameFacts, type MissingFacts, missingFactsOf } from './missing-facts.ts';

/**
 * Skips the rules for apps that no rule could report (nearly all, in a large registry): canonical entries
 * (canonical-form.ts) with clean versions (clean-versions.ts), of which only the documents were read. It reports
 * nothing. What is not judged for one of them is not judged for the next one either, and is only counted again.
 */
export interface FastPath {
  /** A document's value without its canonical entries, on which no rule has findings; undefined for all of it. */
  valueToCheck(content: DocumentContent): JsonObject | undefined;
  /** Takes the manifest, once it was judged. */
  manifest(content: DocumentFacts['content']): void;
  /**
   * The verdict about an app.
   * @param judge judges it by the rules
   */
  app(facts: AppFacts, judge: () => JudgedApp): JudgedApp;
}

export interface FastPathOptions {
  /** False if the rules were selected by name: those are run on everything. */
  isOn: boolean;
  /** False if apps are compared with a baseline or with what was requested. */
  isWhole: boolean;
}

/** What was only counted for an app. */
interface Known {
  missing: MissingFacts;
  further: ReadonlyMap<string, number>;
}

/** Shared, since most of a hundred thousand apps have no reason, and no error. */
const NO_REASON: readonly string[] = [];
const NO_ERRORS: JudgedApp['errors'] = new Map();

/** The fast path of one run. */
export function openFastPath(run: JudgingRun, { isOn, isWhole }: FastPathOptions): FastPath {
  const cleanVersions = openCleanVersions();
  /** By the number of artifacts. */
  const known = new Map<number, Known>();
  let apps: JsonObject = {};
  /** The apps that are not in canonical form; null if any app may not be. */
  let others: JsonObject | null = null;

  /** The facts that are missing about an app; null if the rules have to run for it. */
  function missingFacts(facts: AppFacts): MissingFacts | null {
    if (!isOn || !isWhole || others === null) return null;
    const { key } = facts;
    if (run.evaluated?.needsApp(key)) return null;
    const isCanonical = Object.hasOwn(apps, key) && !Object.hasOwn(others, key);
    return isCanonical && !run.hiding.isHidden(key) ? missingFactsOf(facts) : null;
  }

  /** The verdict about an app if it is clean, in which the same was not judged as `before`; null if the rules have to run. */
  function repeat({ key, metadata: { content }, artifacts }: AppFacts, before: Known): JudgedApp | null {
    let latest: string | null = null;
    if (!isMissing(content)) {
      latest = cleanVersions.latest(content, artifacts.length);
      if (latest === null) return null;
      run.totals.bytes += content.bytes;
    }
    run.totals.versions += artifacts.length;
    run.notJudged.countFurther(before.further);
    // Without its artifacts, it is not known whether a version is offered.
    const verdict: AppVerdict = { key, visible: null, because: NO_REASON, latest };
    run.verdicts.push(verdict);
    const documents = isMissing(content) ? verdict : { ...verdict, visible: true };
    return { verdict, documents, errors: NO_ERRORS, offers: [] };
  }

  /** Judges an app by the rules, and remembers what was not judged if all of it was only counted. */
  function learn({ artifacts }: AppFacts, missing: MissingFacts, judge: () => JudgedApp): JudgedApp {
    const state = stateOf(run);
    const before = run.notJudged.furtherCounts();
    const judged = judge();
    if (stateOf(run) !== state) return judged;
    known.set(artifacts.length, { missing, further: increases(before, run.notJudged.furtherCounts()) });
    return judged;
  }

  return {
    valueToCheck: (content) => (isOn ? (nonCanonicalValue(content) ?? undefined) : undefined),
    manifest(content) {
      const form = isMissing(content) ? null : nonCanonicalValue(content);
      others = objectIn(form, 'apps');
      apps = (isMissing(content) ? null : objectIn(parseDocument(content).value, 'apps')) ?? {};
    },
    app(facts, judge) {
      const missing = missingFacts(facts);
      if (missing === null) return judge();
      const before = known.get(facts.artifacts.length);
      if (before === undefined || !isSameFacts(before.missing, missing)) return learn(facts, missing, judge);
      return repeat(facts, before) ?? judge();
    },
  };
}

/** Changes with everything that is reported, but not with subjects that are only counted. */
function stateOf({ findings, notJudged }: JudgingRun): string {
  return `${findings.changes} ${notJudged.size}`;
}

/** By how much each count grew; only those that did. */
function increases(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Map<string, number> {
  const grown = [...after].map(([id, count]) => [id, count - (before.get(id) ?? 0)] as const);
  return new Map(grown.filter(([, count]) => count > 0));
}

function objectIn(value: Parameters<typeof member>[0] | null, name: string): JsonObject | null {
  const found = member(value ?? undefined, name);
  return isObject(found) ? found : null;
}
