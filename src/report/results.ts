import type { RetirementReason } from '../core/about/about-document.ts';
import type { AttestationFacts } from '../core/facts/attestation.ts';
import type { RunError } from '../core/findings/report.ts';
import type { JsonValue } from '../core/json/json.ts';
import type { HoldCause } from '../core/policy/decide.ts';
import type { Count } from '../core/values/scalars.ts';

/** The JSON document of each command with --format json; those of checks and of release are reports of their own. */

/**
 * The fields that every document begins with.
 *
 * @additionalProperties true
 */
export interface Envelope {
  schema: 1;
  tool: { name: 'appreg'; version: string };
  /** As on the command line, such as `service backup`. Null if the command line names none. */
  command: string | null;
}

/**
 * A run that failed. Those of checks and of release are reports whose outcome is `incomplete`.
 *
 * @additionalProperties true
 */
export interface FailedRun {
  /** `refused`: by a rule or a store; `interrupted`: by a signal; `failed`: anything else. */
  outcome: 'failed' | 'refused' | 'interrupted';
  error: RunError;
  /** Writes of the run, by path. */
  written?: object | null;
}

interface RetiredVersion {
  version: string;
  reason: RetirementReason;
  message: string;
  use: string | null;
  since: string | null;
}

/** The fields of a document in addition to its envelope, by the name of the command. */
export interface Results {
  init: {
    /** The folder of the workspace. */
    root: string;
    manifest: string;
    baseUrl: string;
    manifestUrl: string;
    files: readonly WrittenFile[];
  };
  'add-app': {
    key: string;
    status: 'added' | 'planned' | 'unchanged';
    /** The app's entry in the manifest. */
    entry: object;
    /** The files that were written, or would be. */
    files: readonly string[];
  };
  'edit-app': {
    key: string;
    status: 'edited' | 'planned' | 'unchanged';
    changes: readonly { field: string; before: string | null; after: string }[];
    /**
     * The app's entry in the manifest.
     *
     * @asType object
     */
    entry: JsonValue;
    /** The files that were written, or would be. */
    files: readonly string[];
  };
  deprecate: {
    key: string;
    status: 'deprecated' | 'restored' | 'planned' | 'unchanged';
    /** The listed versions that are meant. */
    versions: readonly string[];
    /** Those whose retirement changes. */
    changed: readonly string[];
    /** Those that are retired otherwise, and stay so: exit 1. With --replace, none. */
    kept: readonly RetiredVersion[];
    /** Previous statements about the versions whose retirement is overwritten or withdrawn. */
    replaced: readonly RetiredVersion[];
    /** Null if it is withdrawn. */
    retirement: { reason: RetirementReason; message: string; use: string | null } | null;
    /** The files that were written, or would be. */
    files: readonly string[];
  };
  'remove-app': {
    key: string;
    status: 'removed' | 'planned';
    /** The app's entry in the manifest: any value, if it is invalid. */
    entry: unknown;
    /** Apps and versions that subscribers lose. */
    subscribers: object;
    /** The files that were written, or would be. */
    files: readonly string[];
    /** The files of the app, which are not deleted. */
    kept: readonly string[];
  };
  assemble: {
    status: 'assembled' | 'planned' | 'unchanged' | 'checked';
    manifest?: string;
    /** The number of apps. */
    apps: Count;
    added?: readonly string[];
    changed?: readonly string[];
    removed?: readonly string[];
    steps?: readonly { kind: string; path: string; what: string }[];
  };
  bundle: {
    path: string;
    bytes: Count;
    entries: readonly { path: string; size: Count }[];
    checksum: string;
    tarSha256: string;
    warnings: readonly string[];
    /** The names that app.js exports; null if they are not known; absent without a load test. */
    exports?: readonly string[] | null;
    /** The names that ui.js exports; absent if they are not known. */
    uiExports?: readonly string[];
    /** The bill of materials that was written; absent for none. */
    sbom?: { path: string; bytes: Count };
  };
  checksum: {
    /** One entry for each file or URL, in the given order. */
    files: readonly HashedFile[];
  };
  'publish-version': {
    app: string;
    version: string;
    artifactUrl: string;
    artifactChecksum: string;
    bytes: Count;
    status: 'published' | 'already-published' | 'planned';
    /** The names that app.js exports; null if they are not known; absent without a load test. */
    exports?: readonly string[] | null;
    /** The names that ui.js exports; absent if they are not known. */
    uiExports?: readonly string[];
    steps: readonly { kind: string; path: string; what: string; outcome: string | null }[];
  };
  lock: {
    file: string;
    /** Versions in the file. */
    versions: Count;
    added: Count;
    /** Versions that are listed with another checksum. */
    changed: readonly { app: string; version: string; before: string; after: string }[];
    /** Apps whose versions cannot be read. */
    notRecorded: readonly { app: string; reason: string }[];
  };
  mirror: {
    root: string;
    baseUrl: string;
    manifest: string;
    apps: Count;
    versions: Count;
    fetched: Count;
    bytes: Count;
    /** Companion files fetched in this run; absent if there were none. */
    companions?: Count;
    problems: readonly MirrorFault[];
    /** Apps without a published version, which the copy does not list. */
    unpublished: readonly string[];
    kept: readonly object[];
    pruned: readonly string[];
    interrupted: boolean;
  };
  site: {
    /** The folder of the site. */
    root: string;
    registryUrl: string;
    /** The address of the site; null if it is not known. */
    baseUrl: string | null;
    /** `planned` with --check and --dry-run. */
    status: 'written' | 'planned' | 'unchanged';
    /** The number of apps that it lists. */
    apps: Count;
    /** Files, relative to the folder. */
    created: readonly string[];
    changed: readonly string[];
    removed: readonly string[];
    /** The number of files that stayed as they were. */
    unchanged: Count;
    /** Apps that subscribers cannot see, and so are not listed. */
    hidden: readonly { key: string; why: string }[];
    /** Apps whose about file cannot be read, so that nothing is shown of it; absent if there are none. */
    unread?: readonly { key: string; why: string }[];
  };
  diff: {
    before: string;
    after: string;
    summary: object;
    apps: readonly object[];
    /** Keys of apps that subscribers would no longer see. */
    vanishing: readonly string[];
    hosts: { added: readonly string[]; removed: readonly string[] };
    notCompared: readonly { key: string; reason: string }[];
    /** Companion files that differ; absent if none does. */
    companions?: readonly object[];
    /** Differences between the about files; absent if nothing does. */
    about?: readonly object[];
  };
  attestation: {
    artifact: string;
    checksum: string;
    bundle: string;
    /** The app and version that the attestation has to name: `<key>@<version>`; null if none was given. */
    app: string | null;
    outcome: 'verified' | 'refused';
    /** The first thing that is not proved; null if everything is. */
    problem: { rule: string; cause: string | null; message: string; advice: string } | null;
    facts: AttestationFacts;
  };
  policy: {
    file: string;
    /** The names of its fields, except `schema`. */
    fields: readonly string[];
  };
  'policy test': PolicyTestResult;
  explain: {
    rule: object | null;
    /** The error code of that name. */
    errorCode: object | null;
  };
  rules: { rules: readonly object[] };
  subscribe: SubscribeResult;
  serve: {
    manifestUrl: string;
    url: string;
    root: string;
    /** The certificate of the local authority. */
    caFile: string | null;
  };
  service: { url: string };
  'service backup': { file: string; bytes: Count; rows: RowsByTable };
  'service restore': {
    /** The folder of the embedded database; null for that of DATABASE_URL. */
    target: string | null;
    createdAt: string;
    /** The version of appreg that wrote the backup. */
    appreg: string;
    rows: RowsByTable;
  };
  conformance: {
    /** The number of the frozen set. */
    set: Count;
    cases: readonly { id: string; role: string; level: string; spec: string; title: string; quote: string | null }[];
  };
  'conformance fixtures': {
    /** The folder that was written. */
    folder: string;
    files: Count;
  };
  completion: { shell: string; script: string };
}

/** Offers of a registry under a policy. */
export interface PolicyTestResult {
  policy: string;
  registry: string;
  /** The time that it was decided for (ISO 8601). */
  now: string;
  /** True if no version is offered, although there are versions. */
  hidesEverything: boolean;
  /** Apps of which no version is offered, although one would be without the policy. */
  hiddenApps: readonly string[];
  /** By key. */
  apps: readonly {
    key: string;
    /** The latest version without the policy, and with it. */
    latest: { before: string | null; after: string | null };
    offered: readonly string[];
    held: readonly HeldVersion[];
  }[];
  /** Apps whose about file cannot be read, so that retirements are not known. */
  aboutUnknown: readonly string[];
}

interface HeldVersion {
  version: string;
  cause: HoldCause;
  /** The line of the policy: the field, and the entry as it is written. */
  line: string;
  /** JSON Pointer of the line. */
  pointer: string;
  message: string;
  /** When it will be offered (ISO 8601); null if time alone changes nothing. */
  offeredAt: string | null;
}

/** A file of a new workspace. */
export interface WrittenFile {
  path: string;
  status: 'created' | 'unchanged';
  /** The branch or bucket that has the file; null if it is in the folder. */
  store: string | null;
}

/** A file or URL with its checksum, or the reason why it has none. */
export interface HashedFile {
  target: string;
  checksum: string | null;
  bytes: Count | null;
  error: RunError | null;
}

/** @additionalProperties true */
interface MirrorFault {
  app: string | null;
  version: string | null;
  url: string | null;
  message: string;
}

/** @additionalProperties true */
interface SubscribeResult {
  registry: string;
  name: string;
  outcome: 'subscribed' | 'already-subscribed' | 'refused' | 'web-page';
  /** The HTTP status of the response. */
  status: Count;
  /** The body of the response, if it is JSON. */
  body?: unknown;
  text?: string | null;
  /** The first check of the registry. */
  check: object | null;
}

/** Number of rows by table. */
type RowsByTable = Record<string, Count>;
