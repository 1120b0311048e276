import type { JudgedApp } from '../engine/context.ts';
import type { AppSubjects } from '../engine/not-judged.ts';
import type { AppVerdict } from '../engine/report.ts';
import type { JudgingRun } from '../engine/run.ts';
import {
  type AppFacts,
  type DocumentContent,
  type DocumentFacts,
  isMissing,
  type Missing,
  type Resource,
} from '../facts/facts.ts';
import {
  type CanonicalVersion,
  isObject,
  type JsonObject,
  member,
  nonCanonicalValue,
  parseDocument,
} from '../json/json.ts';
import { type CleanVersions, openVersionRecognizer } from './clean-versions.ts';

/**
 * Skips the rules for apps that no rule could report (nearly all, in a large registry): canonical entries
 * (canonical-form.ts) with clean versions (clean-versions.ts), of which only the documents were read. It reports
 * nothing. What is not judged of one of them is not judged of the next one either, and is recorded again.
 */
interface FastPath {
  /** A document's value without its canonical entries, on which no rule has findings; undefined for all of it. */
  valueToCheck(content: DocumentContent): JsonObject | undefined;
  /** Takes the manifest, once it was judged. */
  manifest(content: DocumentFacts['content']): void;
  /**
   * The verdict about an app.
   * @param judge judges it by the rules
   */
  app(facts: AppFacts, judge: () => JudgedApp): JudgedApp;
  /** The indexes of the versions of a metadata file that rules about its text could report; null for all. */
  versionsToJudge(content: DocumentContent): ReadonlySet<number> | null;
}

interface FastPathOptions {
  /** False if the rules were selected by name: those are run on everything. */
  isOn: boolean;
  /** False if apps are compared with a baseline or with what was requested. */
  isWhole: boolean;
}

/** What was not judged of a clean app. */
interface Known extends AppSubjects {
  missing: MissingFacts;
  versions: readonly CanonicalVersion[];
}

/** No metadata file was read. */
const NO_VERSIONS: CleanVersions = { versions: [], latest: null };

/** Shared, since most of a hundred thousand apps have no reason, and no error. */
const NO_REASON: readonly string[] = [];
const NO_ERRORS: JudgedApp['errors'] = new Map();

/** The fast path of one run. */
export function openFastPath(run: JudgingRun, { isOn, isWhole }: FastPathOptions): FastPath {
  const recognizer = openVersionRecognizer();
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

  /** The versions of an app if they are clean; null if the rules have to run. */
  function cleanVersions({ metadata: { content }, artifacts }: AppFacts): CleanVersions | null {
    return isMissing(content) ? NO_VERSIONS : recognizer.recognize(content, artifacts.length);
  }

  /** The verdict about a clean app, in which the same was not judged as in `before`. */
  function repeat({ key, metadata: { content }, artifacts }: AppFacts, before: Known, clean: CleanVersions): JudgedApp {
    if (!isMissing(content)) run.totals.bytes += content.bytes;
    run.totals.versions += artifacts.length;
    run.notJudged.addSubjects(before, key, (version) => {
      const index = before.versions.findIndex((one) => one.version === version);
      return clean.versions[index]?.version ?? null;
    });
    // Without its artifacts, it is not known whether a version is offered.
    const verdict: AppVerdict = { key, visible: null, because: NO_REASON, latest: clean.latest };
    run.verdicts.push(verdict);
    const documents = isMissing(content) ? verdict : { ...verdict, visible: true };
    return { verdict, documents, errors: NO_ERRORS, offers: [] };
  }

  /** Judges a clean app by the rules, and remembers what was not judged if the rules have no findings. */
  function learn(
    { artifacts }: AppFacts,
    missing: MissingFacts,
    versions: Known['versions'],
    judge: () => JudgedApp,
  ): JudgedApp {
    const { changes } = run.findings;
    const { judged, subjects } = run.notJudged.subjectsOf(judge);
    if (subjects !== null && run.findings.changes === changes)
      known.set(artifacts.length, { ...subjects, missing, versions });
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
      const clean = cleanVersions(facts);
      if (clean === null) return judge();
      const before = known.get(facts.artifacts.length);
      return before !== undefined && isSameFacts(before.missing, missing)
        ? repeat(facts, before, clean)
        : learn(facts, missing, clean.versions, judge);
    },
    versionsToJudge: (content) => (isOn && isWhole && run.evaluated === null ? recognizer.others(content) : null),
  };
}

function objectIn(value: Parameters<typeof member>[0] | null, name: string): JsonObject | null {
  const found = member(value ?? undefined, name);
  return isObject(found) ? found : null;
}

/** The missing facts of an app, with the reasons; equal for apps that were observed in the same way. */
type MissingFacts = readonly (Missing | null)[];

/** Null if anything was observed that only rules can judge: anything except the documents. */
function missingFactsOf({ icon, metadata, artifacts, about }: AppFacts): MissingFacts | null {
  const { content } = metadata;
  if (about !== undefined || hasMore(icon) || hasMore(metadata)) return null;
  if (!isMissing(icon.web) || !isMissing(metadata.web) || !isMissing(icon.content) || !isMissing(icon.image))
    return null;
  if (!icon.web.runWide || !metadata.web.runWide) return null;
  const missing = [icon.web, icon.content, icon.image, metadata.web, isMissing(content) ? content : null];
  const [first] = artifacts;
  if (first === undefined) return missing;
  const { web, content: bytes, archive } = first;
  if (!isMissing(web) || !isMissing(bytes) || !isMissing(archive) || !web.runWide) return null;
  const isAlike = artifacts.every(
    (one) => one.web === web && one.content === bytes && one.archive === archive && !hasMore(one),
  );
  return isAlike ? [...missing, web, bytes, archive] : null;
}

/** True for facts reused from another run, for a path without a file, and for a file that exists under another name. */
function hasMore({ reusedFrom, viewsReusedFrom, local, otherName }: Resource): boolean {
  return reusedFrom !== undefined || viewsReusedFrom !== undefined || local !== undefined || otherName !== undefined;
}

/** True if both are the same objects, in the same order. */
function isSameFacts(one: MissingFacts, other: MissingFacts): boolean {
  return one.length === other.length && one.every((fact, i) => fact === other[i]);
}
