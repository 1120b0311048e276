import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  COMPANION_KINDS,
  type CompanionKind,
  companionPath,
  companionUrl,
  LARGEST_COMPANION,
} from '../core/registry/companion.ts';
import { statusOf } from '../core/http/probe.ts';
import { documentContent, isObject, type JsonObject, type JsonValue, parseDocument } from '../core/json/json.ts';
import { sha256Of } from '../store/bytes.ts';
import { versionFields } from '../core/registry/manifest.ts';
import { sortedByVersion } from '../core/registry/precedence.ts';
import type { SemanticVersion } from '../core/registry/semantic-version.ts';
import { versionEntries } from '../core/registry/version-entry.ts';
import { versionSelector } from '../observe/registry/artifact.ts';
import type { HttpClient } from '../observe/http/client.ts';
import { mapLimit } from '../core/values/promises.ts';
import { fetchCompanion, type RequestedCompanion } from '../observe/registry/companion.ts';
import { DEFAULT_TIMEOUTS } from '../observe/http/limits.ts';
import { discardFile, remember } from './index-file.ts';
import { digestOfFile } from './receive.ts';
import { pathsOf } from './rewrite.ts';
import type { AppCompanions, MirrorProblem, MirrorRun, PreparedApp } from './run.ts';

/**
 * Copies companion files. No document lists them, so that each has to be requested. The newest version of an app is
 * asked for each kind; the others only if it has one, or if the folder has one of the app.
 */

/** Requests to the host of an app at a time. */
const CONCURRENCY = 8;

/** For an app without any. */
export const NO_COMPANIONS: AppCompanions = { written: [], problems: [] };

interface Candidate {
  version: string;
  semver: SemanticVersion;
  url: string;
  /** Of the artifact in the mirror. */
  path: string;
}

interface CompanionRun {
  run: MirrorRun;
  key: string;
  http: HttpClient;
  found: AppCompanions;
}

/** Requests the companion files of an app, and writes those that the folder does not have. */
export async function copyCompanions(
  run: MirrorRun,
  { key, prepared }: { key: string; prepared: PreparedApp },
  listed: readonly JsonValue[],
  http: HttpClient,
): Promise<AppCompanions> {
  const found: AppCompanions = { written: [], problems: [] };
  const [newest, ...others] = candidatesOf(run, key, listed, prepared);
  if (newest === undefined) return found;
  const companions: CompanionRun = { run, key, http, found };
  await Promise.all(
    COMPANION_KINDS.map(async (kind) => {
      const isFirstPresent = await copyCompanion(companions, newest, kind);
      if (!isFirstPresent && !(await hasAny(run, [newest, ...others], kind))) return;
      await mapLimit(others, (one) => copyCompanion(companions, one, kind), CONCURRENCY);
    }),
  );
  return found;
}

/** The versions whose artifact the mirror may list, from the highest downwards. */
function candidatesOf(
  { options }: MirrorRun,
  key: string,
  listed: readonly JsonValue[],
  { before, refused }: PreparedApp,
): Candidate[] {
  const entries = versionEntries(listed);
  const isSelected = versionSelector(entries, options.versions);
  const candidates = new Map<string, Candidate>();
  for (const { semver, artifactUrl: url, digest } of entries) {
    if (semver === null || url === null || digest === null) continue;
    const version = semver.text;
    if (!isSelected(version) || refused.has(version) || companionUrl(url, 'attestation') === null) continue;
    // The mirror keeps the artifact that it has: this evidence is about another one.
    if (before.some((one) => one.version === version && one.digest !== digest)) continue;
    if (!candidates.has(version))
      candidates.set(version, { version, semver, url, path: pathsOf.artifact(key, version) });
  }
  return sortedByVersion([...candidates.values()], ({ semver }) => semver).toReversed();
}

async function hasAny({ root }: MirrorRun, candidates: readonly Candidate[], kind: CompanionKind): Promise<boolean> {
  for (const { path } of candidates)
    if ((await stat(join(root, companionPath(path, kind))).catch(() => null)) !== null) return true;
  return false;
}

/** @returns true if the source has the file */
async function copyCompanion(
  { run, key, http, found }: CompanionRun,
  { version, url: artifactUrl, path: artifactPath }: Candidate,
  kind: CompanionKind,
): Promise<boolean> {
  const { root, store, index, options } = run;
  if (options.signal?.aborted === true) return false;
  const path = companionPath(artifactPath, kind);
  const copy = await digestOfFile(join(root, path));
  const known = Object.hasOwn(index.files, path) ? index.files[path] : undefined;
  const etag = copy !== null && known?.sha256 === copy.sha256 ? (known.etag ?? null) : null;
  const fetched = await fetchCompanion({ artifactUrl, kind, etag }, { http, total: DEFAULT_TIMEOUTS.small });
  if (fetched.state === 'url-signed') return false;
  const { url } = fetched;
  const report = (code: string, message: string): boolean => {
    // A request that an interruption ended says nothing about the file.
    if (options.signal?.aborted !== true) found.problems.push({ app: key, version, url, code, message });
    return fetched.state !== 'absent';
  };
  const problem = problemOf(fetched, kind, copy?.sha256 ?? null);
  if (problem !== null) return report(problem.code, `${NAMES[kind]} ${problem.message}`);
  if (fetched.state !== 'present') return fetched.state === 'unchanged';
  if (copy === null) {
    if ((await store.create(path, fetched.bytes)) === 'created') found.written.push({ version, path });
  }
  await remember(root, path, sha256Of(fetched.bytes), index, fetched.etag);
  return true;
}

const NAMES = {
  attestation: 'The attestation of the artifact',
  sbom: 'The bill of materials of the artifact',
} as const;

/**
 * The reason why a companion file is not copied, or differs from its copy; null if it is, and if there is none.
 */
function problemOf(
  { state, probe, bytes, isCut }: RequestedCompanion,
  kind: CompanionKind,
  copied: string | null,
): Pick<MirrorProblem, 'code' | 'message'> | null {
  const kept = copied === null ? '' : ' The copy is kept.';
  if (state === 'unchanged') return null;
  if (state === 'unknown') {
    const reason = probe.failure === null ? `HTTP status ${statusOf(probe)}` : probe.failure.code;
    return { code: 'unreachable', message: `could not be requested (${reason}).${kept} ${SKIP}` };
  }
  if (state === 'absent') {
    if (copied === null) return null;
    return { code: 'companion-removed', message: `is no longer served (HTTP status ${statusOf(probe)}).${kept}` };
  }
  if (isCut) return { code: 'companion-too-large', message: `is larger than ${LARGEST_COMPANION[kind]} bytes.${kept}` };
  if (copied !== null && copied !== sha256Of(bytes))
    return { code: 'companion-changed', message: `was changed; sha256:${copied} was mirrored first.${kept}` };
  if (!isObject(parseDocument(documentContent(bytes)).value))
    return { code: 'companion-unreadable', message: 'is not a JSON object.' };
  return null;
}

const SKIP = 'Run the command again; --skip-companions leaves these files out.';

/**
 * Reports what was found beside the versions that the mirror lists, and deletes what this run wrote beside others.
 * @param items the elements of `versions` in the mirror
 */
export async function settleCompanions(
  { root, index, result }: MirrorRun,
  { written, problems }: AppCompanions,
  items: readonly JsonObject[],
): Promise<void> {
  const listed = new Set(items.map((item) => versionFields(item).version));
  for (const { version, path } of written)
    if (listed.has(version)) result.companions += 1;
    else await discardFile(root, path, index);
  result.problems.push(...problems.filter(({ version }) => listed.has(version)));
}
