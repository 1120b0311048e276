import type { Count } from '../values/scalars.ts';
import { counted } from '../text/text.ts';
import { keysOf } from '../values/record.ts';
import { formatDuration } from '../text/format-duration.ts';
import { RESOURCE_NAMES, type ResourceKind, resourceName } from './resource-kind.ts';
import type { ServiceFailure } from './service.ts';
import { machineLimitText } from '../errors/machine-limit.ts';

/**
 * Reasons why a fact is missing or a rule was not judged: typed codes with data. All wording is in the table
 * below.
 */

/**
 * A missing fact, and why it is not known.
 *
 * @discriminator missing
 */
export interface Missing {
  missing: MissingReason;
  /** True when the reason holds for the whole run, as `offline` does. */
  runWide?: boolean;
  /** True when it was not requested, so that its absence leaves no symptom unknown. */
  intentional?: boolean;
}

/** True if a fact is missing. */
export function isMissing(fact: unknown): fact is Missing {
  return typeof fact === 'object' && fact !== null && 'missing' in fact && fact.missing !== undefined;
}

/** Reasons why a fact is missing: codes with their data. */
export type MissingReason =
  | { code: 'offline' }
  | { code: 'not-in-workspace' }
  /** Git has it, and the sparse checkout has not. */
  | { code: 'not-checked-out' }
  /** The file is the pointer of Git LFS. */
  | { code: 'lfs-not-fetched' }
  /** A finding of that rule on the same resource. */
  | { code: 'blocked-by'; rule: string }
  | { code: 'no-url' }
  /** `flag`: the option that excluded it; null if nothing requested it. */
  | { code: 'not-requested'; flag: string | null }
  | { code: 'version-not-requested' }
  | { code: 'once-per-host' }
  | { code: 'sampled' }
  | { code: 'same-origin' }
  | { code: 'interrupted' }
  /** Too many requests to the host had failed. */
  | { code: 'host-failing'; host: string; message: string }
  /** This machine could not send the request; `failure`: the code of the system, such as EMFILE. */
  | { code: 'machine-limit'; failure: string }
  /** `probe`: the kind of request; `failure`: the code of the failure, or the status. */
  | { code: 'probe-failed'; probe: string; attempts: Count; failure: string }
  | { code: 'other-bytes' }
  | { code: 'metadata-missing'; reason: MissingReason }
  | { code: 'no-baseline' }
  | { code: 'baseline-without-manifest'; manifest: string; source: string }
  /** No commit up to there has a manifest that can be parsed. */
  | { code: 'baseline-unreadable'; manifest: string; source: string }
  | { code: 'baseline-without-metadata'; state: BaselineMetadataState; source: string }
  | { code: 'not-in-source'; source: string }
  | { code: 'documents-only' }
  | { code: 'additions-only' }
  | { code: 'not-cached' }
  | { code: 'not-saved'; bytes: Count }
  | { code: 'verified-before' }
  | { code: 'over-budget' }
  /** It has no companion files. */
  | { code: 'url-signed' }
  /** `part`: what was not read of an icon. */
  | { code: 'icon-not-read'; part: 'frames' | 'xml' }
  | { code: 'content-not-scanned' }
  /** The scan of the content ended before the archive's end: detectors took too long, or it has too many secrets. */
  | { code: 'content-scan-stopped'; limit: 'time' | 'secrets' }
  /** A proxy connects to the host. */
  | { code: 'addresses-proxied'; host: string }
  /** `compared`: the number of resources of the kind whose addresses were compared before it. */
  | { code: 'addresses-sampled'; host: string; resource: ResourceKind; compared: Count }
  /** `detail`: the message of the service, or ''. */
  | { code: 'service-not-joined'; service: string; failure: ServiceFailure; detail: string };

/** Reasons why a rule was not judged, or a kind of resource was not observed. */
export type NotJudgedReason =
  | MissingReason
  | { code: 'rule-crashed'; error: string }
  /** A comparison that was requested; `app`: null for the registry as a whole. */
  | { code: 'not-compared'; app: string | null; source: string; reason: MissingReason }
  /** The settings omit what those of the baseline would report. */
  | { code: 'settings-relaxed'; source: string; severity: 'error' | 'warning' }
  /** The settings turn the rule off, and it would report an error. */
  | { code: 'turned-off' }
  /** The run did not observe everything. */
  | { code: 'incomplete'; why: string }
  /** A list of a stored report has `count` more entries. */
  | { code: 'list-truncated'; list: 'findings' | 'apps' | 'notJudged'; count: number }
  | { code: 'no-app-list'; rule: string }
  /** `apps`: how many are for the other shards; null for the manifest, which the first shard reports on. */
  | { code: 'other-shard'; shards: number; apps: number | null }
  /**
   * `since`: ISO 8601, the oldest of the reused observations, or null if readers must not know it; `views`: only browser
   * and HEAD views were reused.
   */
  | { code: 'reused'; count: number; since: string | null; views: boolean }
  /** `age`: seconds, of the oldest copy. */
  | { code: 'stale-copy'; count: number; age: number }
  /** This machine has no route to them. */
  | { code: 'addresses-unroutable'; host: string; addresses: readonly string[] }
  /** `compared`: how many were requested. */
  | { code: 'addresses-left-out'; host: string; count: number; compared: number };

/** Codes of the reasons why a fact is missing, so that a rule is not judged. */
export type NotJudgedCode = NotJudgedReason['code'];

/** Returns the name of a rule in the text of a reason. */
type RuleName = (rule: string) => string;

/** The wording of a reason. `resource` is the kind that an entry about a whole run refers to. */
type Wording<C extends NotJudgedCode> = (
  reason: ReasonByCode[C],
  resource: ResourceKind | null,
  nameOf: RuleName,
) => string;

type ReasonByCode = { [C in NotJudgedCode]: Extract<NotJudgedReason, { code: C }> };

const WORDING: { readonly [C in NotJudgedCode]: Wording<C> } = {
  offline: () => 'needs the network',
  'not-in-workspace': () => 'it is not in the workspace',
  'not-checked-out': () => 'git has it, but it is not part of this sparse checkout (git sparse-checkout add <folder>)',
  'lfs-not-fetched': () => 'it is in Git LFS, and was not fetched (git lfs pull)',
  'blocked-by': ({ rule }, _, nameOf) => `because of ${nameOf(rule)}`,
  'no-url': () => 'it has no URL',
  'not-requested': ({ flag }) => (flag === null ? 'it was not requested' : `it is not requested with ${flag}`),
  'version-not-requested': () => 'its version was not requested',
  'once-per-host': () => 'requested for one artifact per app and host',
  sampled: (_, resource) => {
    const sample =
      'requested for the first 20 of each kind and host; since all 20 succeeded, only for one in ten of the others';
    return resource === null
      ? sample
      : `HEAD and preflight responses of ${RESOURCE_NAMES[resource].several}: ${sample}`;
  },
  'same-origin': () => 'a browser sends no preflight to the page’s own origin',
  interrupted: () => 'the run was interrupted',
  'host-failing': ({ host, message }) => `${host} ${message}`,
  'machine-limit': ({ failure }) => machineLimitText(failure),
  'probe-failed': ({ probe, attempts, failure }) => `the ${probe} failed${times(attempts)} (${failure})`,
  'other-bytes': () => 'the inspected bytes do not match the listed checksum',
  'metadata-missing': ({ reason }, _, nameOf) =>
    `its metadata file was not observed (${formatReason(reason, null, nameOf)})`,
  'no-baseline': () => 'no baseline was given (--against)',
  'baseline-without-manifest': ({ manifest, source }) => `there was no ${manifest} in ${source}`,
  'baseline-unreadable': ({ manifest, source }) =>
    `${manifest} cannot be parsed in ${source}, nor in a commit before it`,
  'baseline-without-metadata': ({ state, source }) => `its metadata file ${BASELINE_METADATA[state](source)}`,
  'not-in-source': ({ source }) => `it is not in ${source}`,
  'documents-only': () => 'only its documents were read',
  'additions-only': () => 'only the added apps and versions are observed',
  'not-cached': () => 'it is not in the cache',
  'not-saved': ({ bytes }) => `its ${bytes} bytes are not in this file`,
  'verified-before': () => 'verified by an earlier check, and not fetched again',
  'over-budget': () => 'over the limit of one check: it is left to the next check, which follows soon',
  'url-signed': () => 'its URL is signed by its query, so that no URL of a file beside it is known',
  'icon-not-read': ({ part }) =>
    part === 'frames'
      ? 'it is animated, and the frames of a PNG are not read'
      : 'its XML has declarations in the DOCTYPE, or other rare parts, that are not read',
  'content-not-scanned': () => 'the content of artifacts is scanned only with --scan-content',
  'content-scan-stopped': ({ limit }) =>
    limit === 'time'
      ? 'the scan of its content was ended, since it took too long'
      : 'the scan of its content was ended, since it contains too many secrets',
  'addresses-proxied': ({ host }) => `the addresses of ${host}: a proxy connects to the host, and chooses the address`,
  'addresses-sampled': ({ host, resource, compared }) =>
    `the addresses of ${host} for further ${RESOURCE_NAMES[resource].several}: only the first ${compared} were compared`,
  'service-not-joined': ({ service, failure, detail }) =>
    `${service} ${SERVICE_FAILURES[failure]}${detail === '' ? '' : `: ${detail}`}`,
  'rule-crashed': ({ error }) => `the rule failed: ${error}`,
  'not-compared': ({ app, source, reason }, _, nameOf) =>
    `${app === null ? 'the registry' : `the app “${app}”`} was not compared with ${source}: ${formatReason(reason, null, nameOf)}`,
  'settings-relaxed': ({ source, severity }) =>
    `the configuration of ${source} would report ${severity === 'error' ? 'an error' : 'a warning'}, which the current one omits`,
  'turned-off': () => 'the settings turn this rule off, but it found an error',
  incomplete: ({ why }) => why,
  'list-truncated': ({ list, count }) => `${TRUNCATED[list](count)}, not listed here`,
  'no-app-list': ({ rule }, _, nameOf) => `the apps: the manifest does not list them, because of ${nameOf(rule)}`,
  'other-shard': ({ shards, apps }) =>
    apps === null
      ? `the manifest, which shard 1 of ${shards} reports on`
      : `${counted(apps, 'app')} of the other shards (this run is one of ${shards} shards)`,
  reused: ({ count, since, views }, resource) => {
    const what = views
      ? `browser and HEAD responses of ${countedResources(count, resource)} that did not change`
      : `${countedResources(count, resource)}, ${resource === 'icon' ? 'observed less than a day before' : 'already verified'}`;
    return `${what}: the facts ${since === null ? 'of an earlier check' : `from ${since}`} were judged again`;
  },
  'stale-copy': ({ count, age }, resource) => {
    const copies = count === 1 ? 'is a cached copy of that age' : 'are cached copies of up to that age';
    const observed =
      count === 1 && resource !== null ? `the ${resourceName(resource)}` : countedResources(count, resource);
    return `what was published in the last ${formatDuration(age)}: ${observed} ${copies}`;
  },
  'addresses-unroutable': ({ host, addresses }) =>
    `${addresses.length === 1 ? 'the address' : 'the addresses'} ${addresses.join(', ')} of ${host}: this machine has no route to ${addresses.length === 1 ? 'it' : 'them'}`,
  'addresses-left-out': ({ host, count, compared }) =>
    `${counted(count, 'further address', 'further addresses')} of ${host}: only the first ${compared} were compared`,
};

/** All codes, as `schemas/report.schema.json` lists them. */
export const NOT_JUDGED_CODES: readonly NotJudgedCode[] = keysOf(WORDING);

const TRUNCATED: Record<ReasonByCode['list-truncated']['list'], (count: number) => string> = {
  findings: (count) => counted(count, 'more finding'),
  apps: (count) => counted(count, 'more app'),
  notJudged: (count) =>
    counted(count, 'more entry about what was not judged', 'more entries about what was not judged'),
};

const SERVICE_FAILURES: Record<ServiceFailure, string> = {
  'no-api': 'does not have the API of appreg service, so the results of its checks are not known',
  unauthorized: 'requires a valid token (401): --token-env names the variable that contains it',
  forbidden: 'does not allow the token to read (403)',
  unreachable: 'cannot be reached',
  failed: 'cannot respond now',
  'not-subscribed': 'has no subscription of this organization to this URL',
  'never-checked': 'has not checked the registry yet',
};

/** Reasons why the versions that a baseline lists of an app are not known. */
export type BaselineMetadataState =
  | 'absent'
  /** It was never valid in any commit up to there. */
  | 'unreadable'
  | 'not-observed'
  /** Its URL is not one of the registry's own files. */
  | 'elsewhere'
  | 'history-missing'
  | 'in-git-lfs'
  | 'in-submodule'
  | 'linked-outside';

const BASELINE_METADATA: Record<BaselineMetadataState, (source: string) => string> = {
  absent: (source) => `is not in ${source}`,
  unreadable: (source) => `cannot be read in ${source}`,
  'not-observed': (source) => `was not observed in ${source}`,
  elsewhere: (source) => `is not one of the files in ${source}, but on another host`,
  'history-missing': (source) =>
    `cannot be read in ${source}, and earlier commits are not in this shallow clone (git fetch --unshallow)`,
  'in-git-lfs': (source) => `is in Git LFS in ${source}, and its content was not fetched (git lfs fetch --all)`,
  'in-submodule': (source) => `is in a submodule in ${source}: check the registry in the submodule`,
  'linked-outside': (source) => `is a symbolic link out of the repository in ${source}`,
};

/** Describes such a reason as the end of a sentence about a file. */
export function baselineStateText(state: BaselineMetadataState, source: string): string {
  return BASELINE_METADATA[state](source);
}

function countedResources(count: number, resource: ResourceKind | null): string {
  const { one, several } = resource === null ? { one: 'resource', several: 'resources' } : RESOURCE_NAMES[resource];
  return counted(count, one, several);
}

function times(attempts: number): string {
  if (attempts === 1) return '';
  return attempts === 2 ? ' twice' : ` ${attempts} times`;
}

/**
 * A reason in words; `reasonText` (core/rules/lookup.ts) names the rules in it as people read them.
 * @param resource of an entry about a kind of resource in a whole run: that kind
 */
export function formatReason(reason: NotJudgedReason, resource: ResourceKind | null, nameOf: RuleName): string {
  return wordingOf(reason.code, reason, resource, nameOf);
}

function wordingOf<C extends NotJudgedCode>(
  code: C,
  reason: ReasonByCode[C],
  resource: ResourceKind | null,
  nameOf: RuleName,
): string {
  return WORDING[code](reason, resource, nameOf);
}

/** A fact that is missing because of a finding of that rule. */
export function blockedBy(rule: string): { missing: { code: 'blocked-by'; rule: string } } {
  return { missing: { code: 'blocked-by', rule } };
}
