import type { AttestationFacts } from '../facts/attestation.ts';
import type { AttestationRequirement } from '../facts/attestation.ts';
import type {
  AppFacts,
  ArtifactFacts,
  Baseline,
  DocumentFacts,
  HostFacts,
  Missing,
  PublishedVersion,
  RequestedApps,
  ServiceFacts,
  Shard,
  Snapshot,
} from '../facts/facts.ts';
import type { FactsPart } from '../facts/part.ts';
import { APP_ENTRY } from '../registry/app-entry.ts';
import type { AnyRule } from '../rules/rule.ts';
import { type JudgeContext, NO_BASELINE, NOT_REQUESTED } from './context.ts';
import type { JudgedApp } from '../offers/judged-app.ts';
import { fileComparison, registryComparison } from './comparison.ts';
import { RuleDispatcher } from './dispatch.ts';
import { EvaluatedRules } from './evaluated.ts';
import { type FoundSoFar, RunRecord } from './record.ts';
import { completeRun, reportOf } from './run-report.ts';
import type { CheckCommand, ExceptionList, Report } from '../findings/report.ts';
import type { Severity } from '../values/severity.ts';
import { listedVersions } from '../registry/manifest.ts';
import { judgeAbout, judgeApp } from './judge-app.ts';
import { judgeExceptions } from './judge-exceptions.ts';
import { type JudgedManifest, judgeManifest } from './judge-manifest.ts';
import { judgeService } from './judge-service.ts';
import { judgeVersions, whyNoVersions } from './judge-versions.ts';
import { locationOf, locationOfDocument } from './location.ts';

/** The engine: dispatches every subject with its facts to the rules, app by app, and collects their findings. */

export interface JudgeOptions {
  command: CheckCommand;
  target: string;
  /** ISO 8601; the moment of observation, since core has no clock. */
  now: string;
  /** Overrides by rule id. */
  severities?: Readonly<Record<string, Severity | 'off'>>;
  /** The baseline for the rules about immutability. */
  baseline?: Baseline | null;
  /** The origins that the registry was requested with. */
  origins?: readonly string[];
  /** Set when the run covers a part of the apps. The first shard reports on the manifest. */
  shard?: Pick<Shard, 'index' | 'of'> | null;
  rules?: readonly AnyRule[];
  /** What was requested by name. */
  requested?: RequestedApps | null;
  /** True if `service` will be called: what is served is kept for it. */
  joinsService?: boolean;
  /** The entry file of an app's code, at the top level of its artifact (default: app.js). */
  appEntry?: string | null;
  /** How attestations are judged; null if they are not. */
  attestations?: AttestationRequirement | null;
  /** Called for each version whose attestation proves what is required. */
  onAttested?(facts: AttestationFacts): void;
  /** True if each finding names the party that has to act, and the responding server. */
  explains?: boolean;
  /** True for a change that is judged before it is published. */
  isPublishing?: boolean;
  /** True if those who read the report must not know when reused facts were observed: the service shares registries. */
  omitsReuseTimes?: boolean;
  /** What does not count, with the reason. */
  exceptions?: ExceptionList | null;
  /** The fingerprints of the findings of an earlier report (`fingerprintsOf`), which do not count. */
  known?: ReadonlySet<string> | null;
}

/** Judging in portions, so that facts can be released once they are judged: the manifest first, then each app. */
export interface Judging {
  /** Judges a part of an observation, as `manifest`, `app`, `hosts` and `service` do. Parts without facts are ignored. */
  add(part: FactsPart): void;
  manifest(manifest: DocumentFacts): void;
  /** @returns the verdict about the app, and what it is based on */
  app(facts: AppFacts): JudgedApp;
  /**
   * A metadata file by itself, when its app is not known.
   * @param earlier the published versions of the app; null for no comparison
   * @param about the about file of the app; null if it has none
   */
  metadata(
    metadata: DocumentFacts,
    artifacts: readonly ArtifactFacts[],
    earlier?: PublishedVersion[] | Missing | null,
    about?: DocumentFacts | null,
  ): void;
  orphans(files: readonly string[]): void;
  /** The hosts that temporarily refused requests, after all apps. */
  hosts(facts: readonly HostFacts[]): void;
  /** What a subscriber service knows about the registry, after all apps. */
  service(facts: ServiceFacts | Missing): void;
  /** What was found so far, before it is known whether a host's limit explains it. */
  foundSoFar(): FoundSoFar;
  /**
   * @param seconds the duration of the run
   * @param incomplete why the run did not observe everything, or null
   * @param elsewhere the number of apps in other shards
   */
  finish(seconds: number, incomplete?: string | null, elsewhere?: number): Report;
}

/** Judges a whole snapshot. The same facts give the same report. */
export function judge(
  snapshot: Snapshot,
  options: Omit<JudgeOptions, 'now' | 'target'> & { seconds?: number; target?: string },
): Report {
  const judging = startJudging({
    origins: snapshot.origins,
    target: snapshot.target,
    shard: snapshot.shard ?? null,
    requested: snapshot.requested ?? null,
    appEntry: snapshot.appEntry ?? null,
    attestations: snapshot.attestations ?? null,
    joinsService: snapshot.service !== undefined,
    ...options,
    now: snapshot.seenAt,
  });
  return judgeWhole(snapshot, judging, options.seconds ?? 0);
}

/** Passes a whole snapshot to the judge. */
export function judgeWhole(snapshot: Snapshot, judging: Judging, seconds: number): Report {
  judging.manifest(snapshot.manifest);
  for (const app of snapshot.apps) judging.app(app);
  judging.orphans(snapshot.orphans);
  judging.hosts(snapshot.hosts ?? []);
  if (snapshot.service !== undefined) judging.service(snapshot.service);
  return judging.finish(seconds, snapshot.incomplete ?? null, snapshot.shard?.elsewhere);
}

/** What all parts of a run are judged with. */
function openContext(run: JudgeContext['run'], dispatcher: RuleDispatcher, options: JudgeOptions): JudgeContext {
  return {
    run,
    dispatcher,
    now: options.now,
    origins: options.origins ?? [],
    baseline: options.baseline ?? null,
    requested: options.requested ?? null,
    appEntry: options.appEntry ?? APP_ENTRY,
    isPublishing: options.isPublishing === true,
    attestations: options.attestations ?? null,
    onAttested: options.onAttested ?? null,
    served: options.joinsService === true ? [] : null,
  };
}

const NONE_KNOWN: ReadonlySet<string> = new Set();

/** Starts a run that judges facts as they are observed. */
export function startJudging(options: JudgeOptions): Judging {
  const exceptions = options.exceptions ?? null;
  const run = new RunRecord(options.severities ?? {}, options, exceptions && new EvaluatedRules(exceptions.entries));
  const shard = options.shard ?? null;
  const dispatcher = new RuleDispatcher(run, options);
  const context = openContext(run, dispatcher, options);
  let manifest: JudgedManifest | null = null;
  let listed: Set<string> | null = null;

  return {
    add(part) {
      if (part.kind === 'manifest') this.manifest(part.facts);
      else if (part.kind === 'app') this.app(part.facts);
      else if (part.kind === 'hosts') this.hosts(part.facts);
      else if (part.kind === 'service') this.service(part.facts);
    },

    manifest(facts) {
      if (manifest?.location.document) run.closeDocument(manifest.location.document);
      manifest = judgeManifest(context, facts, shard);
      if (exceptions && manifest.apps) listed = new Set([...(listed ?? []), ...Object.keys(manifest.apps)]);
    },

    app(facts) {
      if (manifest === null) throw new Error('the manifest has to be judged before the apps');
      return judgeApp(context, manifest, facts);
    },

    metadata(facts, artifacts, earlier = null, about = null) {
      const place = locationOfDocument('metadata', facts);
      const value = dispatcher.document(facts, place);
      const versions = judgeVersions(context, value, artifacts, earlier ?? NO_BASELINE, place);
      const unknown = listedVersions(value) === null ? whyNoVersions(facts.content) : null;
      const left = fileComparison(context.baseline, earlier, unknown);
      if (left !== null) run.leftOut.push(left);
      run.closeDocument(facts);
      if (about !== null) judgeAbout(context, about, listedVersions(value) === null ? null : versions, place);
    },

    orphans(files) {
      if (files.length === 0) return;
      dispatcher.dispatch('workspace', { orphans: files }, locationOf('metadata', NOT_REQUESTED));
    },

    hosts: (facts) => dispatcher.hosts(facts),

    service(facts) {
      judgeService(context, facts, manifest);
    },

    foundSoFar: () => ({ ...run.foundSoFar }),

    finish(seconds, incomplete = null, elsewhere = 0) {
      if (shard !== null && elsewhere > 0)
        run.notJudged.addSkipped('metadata', { code: 'other-shard', shards: shard.of, apps: elsewhere });
      if (manifest?.location.document) run.closeDocument(manifest.location.document);
      dispatcher.addCounted();
      completeRun(run, incomplete);
      const comparison = registryComparison(options.baseline ?? null, manifest === null || manifest.apps !== null);
      if (comparison !== null) run.leftOut.push(comparison);
      if (exceptions) judgeExceptions(context, exceptions, { listed, shard });
      const marking = { exceptions: exceptions?.entries ?? [], known: options.known ?? NONE_KNOWN, now: options.now };
      return reportOf(run, { command: options.command, target: options.target, seconds, marking });
    },
  };
}
