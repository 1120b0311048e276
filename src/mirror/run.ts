import type { Judging } from '../core/engine/judge.ts';
import type { Finding, Report } from '../core/findings/report.ts';
import type { JsonObject } from '../core/json/json.ts';
import { ruleTitle } from '../core/rules/lookup.ts';
import { counted } from '../core/text/text.ts';
import type { WebOptions } from '../observe/registry/options.ts';
import type { Store } from '../store/store.ts';
import type { Index } from './index-file.ts';
import type { ArtifactPaths } from './receive.ts';
import type { SourceVersion } from './rewrite.ts';

/** Input and result of `mirror`, and the state of a run. */

export interface MirrorOptions extends Omit<WebOptions, 'apps' | 'versions'> {
  /** The base URL of the mirror, with a trailing slash. */
  base: string;
  /** Reads the base URL in the configuration of an earlier mirror in the folder; null if it has none. */
  configuredBase?(): Promise<string | null>;
  /** File name of the manifest in the mirror. */
  manifest: string;
  /** Only these apps; null for all. */
  apps: readonly string[] | null;
  versions: 'all' | 'latest' | ((version: string) => boolean);
  /** Also remove what the source withdrew, and delete those files. */
  prune: boolean;
  /** Leaves out companion files. */
  skipCompanions?: boolean;
  /** Called once. @param read returns how far the run has got */
  showProgress?(read: () => MirrorProgress): void;
}

export interface MirrorProgress {
  /** Resources observed, and known so far. */
  done: number;
  known: number;
  /** Bytes of artifacts received. */
  bytes: number;
  /** The last app that was mirrored. */
  app: string | null;
}

/** Content that the mirror does not have, although the source lists it. */
export interface MirrorProblem {
  app: string;
  version: string | null;
  url: string | null;
  /** The id of a rule, or an error code. */
  code: string;
  message: string;
}

export interface Mirrored {
  apps: number;
  versions: number;
  /** Artifacts fetched in this run, and their bytes. */
  fetched: number;
  bytes: number;
  /** Companion files fetched in this run. */
  companions: number;
  /** Deleted paths. */
  pruned: string[];
  /** Differences from the source; all are errors. */
  problems: MirrorProblem[];
  /** Apps without a published version: the mirror does not list them. */
  unpublished: string[];
  /** Content that the source withdrew, and the mirror still has. */
  kept: { app: string; version: string | null }[];
  interrupted: boolean;
}

/** Companion files of an app, before it is known which of its versions the mirror lists. */
export interface AppCompanions {
  /** Paths of the companion files that this run wrote, by version. */
  written: { version: string; path: string }[];
  /** By version. */
  problems: (MirrorProblem & { version: string })[];
}

/** An app before its artifacts are observed. */
export interface PreparedApp {
  /** Its versions in the mirror; they never change. */
  before: readonly SourceVersion[];
  /** Paths of artifacts that an earlier run fetched but did not list, by version and digest. */
  local: Map<string, string>;
  /** Versions that cannot be kept in the folder, and why. */
  refused: Map<string, string>;
  /** The reason why the app cannot be kept in the folder; null if it can. */
  refusal: { code: string; message: string } | null;
  fetched: { url: string; digest: string; path: string }[];
  /** Its companion files, which are requested while its artifacts are observed. */
  companions: Promise<AppCompanions>;
}

export interface MirrorRun {
  readonly root: string;
  readonly store: Store;
  readonly options: MirrorOptions;
  readonly index: Index;
  readonly result: Mirrored;
  readonly judging: Judging;
  /** The apps that are being observed. */
  readonly prepared: Map<string, PreparedApp>;
  readonly paths: ArtifactPaths;
  /** The fetched icons by their address (`comparableUrl`), until the last app that uses one is mirrored. */
  readonly icons: Map<string, Uint8Array>;
  /** Number of apps that use an icon and are not mirrored yet, by its address. */
  readonly iconUses: Map<string, number>;
  /** The source's manifest, and its apps; null until it was observed. */
  source: { manifest: JsonObject; apps: JsonObject } | null;
  /** Apps that the mirror leaves out: the report says why. */
  readonly hidden: Set<string>;
  /** By app, the indexes of the elements of `versions` that are not valid: the report says why. */
  readonly unusable: Map<string, readonly number[]>;
}

// Content that the mirror lacks, with the rules of the report.

/**
 * The problems of a run, in the order of the source's apps. Apps without a version yet are recorded separately.
 * @param keys the apps of the source
 */
export function problemsOf(
  { hidden, unusable, result }: MirrorRun,
  report: Report,
  keys: readonly string[],
): MirrorProblem[] {
  const problems = [...result.problems];
  const findings = new Map<string, Finding[]>();
  for (const finding of report.findings) {
    const { app } = finding;
    if (app === null || !(hidden.has(app) || unusable.has(app))) continue;
    const own = findings.get(app);
    if (own) own.push(finding);
    else findings.set(app, [finding]);
  }
  for (const { key, because } of report.apps) {
    const own = findings.get(key) ?? [];
    if (hidden.has(key)) {
      if (own.some(({ rule, cause }) => rule === 'no-valid-versions' && cause === 'empty'))
        result.unpublished.push(key);
      else problems.push(...hiddenProblems(key, because, own));
    }
    problems.push(...unusableProblems(key, unusable.get(key) ?? [], own));
  }
  const order = new Map(keys.map((key, index) => [key, index]));
  return problems.toSorted((a, b) => (order.get(a.app) ?? 0) - (order.get(b.app) ?? 0));
}

/** One problem per rule that hides an app; a rule whose finding is about several apps has no finding of its own. */
function hiddenProblems(key: string, because: readonly string[], findings: readonly Finding[]): MirrorProblem[] {
  const rules = because.length > 0 ? because : ['not-examined'];
  return rules.map((rule) => {
    const finding = findings.find((one) => one.rule === rule && one.severity === 'error');
    if (finding) return problemOf(key, finding);
    return { app: key, version: null, url: null, code: rule, message: `The app is not visible: ${ruleTitle(rule)}.` };
  });
}

/** The errors about elements of `versions`, by their indexes. */
function unusableProblems(key: string, indexes: readonly number[], findings: readonly Finding[]): MirrorProblem[] {
  if (indexes.length === 0) return [];
  const elements = new Set(indexes.map(String));
  const own = findings.filter(({ severity, pointer }) => {
    const [, list, index] = pointer?.split('/') ?? [];
    return severity === 'error' && list === 'versions' && index !== undefined && elements.has(index);
  });
  if (own.length > 0) return own.map((finding) => problemOf(key, finding));
  const message = `${counted(indexes.length, 'element')} of versions cannot be used.`;
  return [{ app: key, version: null, url: null, code: 'schema-violation', message }];
}

function problemOf(app: string, { version, url, rule, message }: Finding): MirrorProblem {
  return { app, version, url, code: rule, message };
}
