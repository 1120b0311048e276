import { createHash } from 'node:crypto';
import {
  type AppFacts,
  type Failure,
  type IconFacts,
  type ImageFacts,
  isMissing,
  type Missing,
} from '../../core/facts/facts.ts';
import { faultSeverity } from '../../core/registry/image-faults.ts';
import { statusOf } from '../../core/http/probe.ts';
import { comparableUrl } from '../../core/url/url.ts';
import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import type { ArtifactCopy } from '../../observe/registry/context.ts';
import type { AppRecord, AppRecords } from '../apps/records-store.ts';
import type { ReceivedArtifact } from '../artifacts/receiving.ts';
import type { Service } from '../context.ts';
import type { IconRow, StoredVersion } from '../database/tables.ts';
import type { AboutMemory, ObservedAbout } from '../../observe/registry/about.ts';
import type { LearnedAbout } from '../about/changes.ts';
import { redactedMissing, type RequestCredentials, unlessSecret } from './redaction.ts';

/** The bytes that a refresh has fetched to verify them, until they are kept or discarded: they are not downloaded twice. */
export interface ReceivedArtifacts {
  /** For `copyArtifact` of an observation; null if the service keeps no artifacts. */
  copy: (() => ArtifactCopy) | null;
  /** Keeps those of the files whose digests are pinned for an app, and discards the others of the app. */
  keepVerified(facts: AppFacts, versions: readonly StoredVersion[]): Promise<void>;
  /** The checksums of verified versions that the service keeps, of an app whose host reports some artifacts as missing. */
  keptChecksums(facts: AppFacts, record: AppRecord | null): Promise<ReadonlySet<string>>;
  /** At the end: what was not needed. */
  discard(): Promise<void>;
}

const NONE: ReadonlySet<string> = new Set();

export function openReceivedArtifacts(artifacts: Service['artifacts'], registryId: number): ReceivedArtifacts {
  if (artifacts === null)
    return { copy: null, keepVerified: async () => {}, keptChecksums: async () => NONE, discard: async () => {} };
  const received = new Map<string, ReceivedArtifact>();
  return {
    copy: () =>
      artifacts.receive((file) => {
        const other = received.get(file.sha256);
        received.set(file.sha256, file);
        if (other) void artifacts.discard(other);
      }),
    async keepVerified(facts, versions) {
      const verified = new Set(
        versions.flatMap(({ state, artifactChecksum }) => (state === 'verified' ? [artifactChecksum] : [])),
      );
      for (const digest of digestsOf(facts)) {
        const file = received.get(digest);
        if (file === undefined) continue;
        received.delete(digest);
        if (verified.has(`sha256:${digest}`)) await artifacts.keep(registryId, file, true);
        else await artifacts.discard(file);
      }
    },
    async keptChecksums(facts, record) {
      const isAnyGone = facts.artifacts.some(
        ({ web }) => !isMissing(web) && web.server.failure === null && statusOf(web.server) >= 400,
      );
      if (record === null || !isAnyGone) return NONE;
      const verified = record.versions.filter(({ verifiedAt }) => verifiedAt !== null);
      const digests = verified.map(({ artifactChecksum }) => artifactChecksum.replace('sha256:', ''));
      const kept = await artifacts.kept(registryId, digests);
      return new Set([...kept].map((digest) => `sha256:${digest}`));
    },
    async discard() {
      for (const file of received.values()) await artifacts.discard(file);
      received.clear();
    },
  };
}

function digestsOf({ artifacts }: AppFacts): string[] {
  return artifacts.flatMap(({ content, again }) =>
    [content, again].flatMap((one) => (one === undefined || isMissing(one) ? [] : [one.sha256])),
  );
}

/** Icons that the page may show: complete, small PNG or SVG files, detected by content, without active content. */

/** Spec section 8: icons should be under 1 MB. */
const BYTES_LIMIT = 1_000_000;
/** 4096 by 4096. */
const PIXELS_LIMIT = 2 ** 24;
/** Total bytes of the icons kept by one refresh. */
const TOTAL_BYTES = 64 * 2 ** 20;

export interface IconCollector {
  /** Receives a fetched icon. */
  add(facts: IconFacts, bytes: Uint8Array): void;
  /** The icon of an app, null for none, undefined if the previous one is kept. */
  iconOf(facts: IconFacts): IconRow | null | undefined;
}

export function openIconCollector(): IconCollector {
  // Apps may share an icon: it is kept once, until the end of the run.
  const byUrl = new Map<string, IconRow | null>();
  let remaining = TOTAL_BYTES;
  return {
    add({ url, content, image }, bytes) {
      if (url === null) return;
      const key = comparableUrl(url);
      byUrl.set(key, null);
      const type = shownType({ content, image });
      if (type === null || bytes.length > remaining) return;
      remaining -= bytes.length;
      byUrl.set(key, { sha256: createHash('sha256').update(bytes).digest(), type, bytes: Buffer.from(bytes) });
    },
    // What was not fetched is either unchanged, or its host fails.
    iconOf: ({ url }) => (url === null ? undefined : byUrl.get(comparableUrl(url))),
  };
}

/** The type of an icon that the page may show; null for any other. */
function shownType({ content, image }: Pick<IconFacts, 'content' | 'image'>): IconRow['type'] | null {
  if (isMissing(content) || content.cut || isMissing(image)) return null;
  const { bytes } = content.decoded ?? content;
  return bytes > 0 && bytes < BYTES_LIMIT ? typeOf(image) : null;
}

const NOT_KNOWN: Missing = { missing: { code: 'not-cached' } };

/** What is remembered of an app, without an icon that is not stored: its bytes are needed. */
export function withoutUnstoredIcon(record: AppRecord | null): RememberedApp | null {
  if (record === null || record.remembered === null) return null;
  const { icon, remembered } = record;
  if (icon !== null || shownType(remembered.facts.icon) === null) return remembered;
  const none = { url: null, file: null, web: NOT_KNOWN, content: NOT_KNOWN, image: NOT_KNOWN };
  return { ...remembered, facts: { ...remembered.facts, icon: none } };
}

function typeOf(image: ImageFacts): IconRow['type'] | null {
  const { kind, fault, active, width, height } = image;
  // An SVG with a fault was not read completely.
  if (kind === 'svg')
    return fault === null && active.every(({ code }) => code === 'namespace-entities') ? 'image/svg+xml' : null;
  if (kind !== 'png' || faultSeverity(image) === 'error') return null;
  return width !== null && height !== null && width * height <= PIXELS_LIMIT ? 'image/png' : null;
}

/** The about files of a refresh: each is requested once, on condition that it differs from the stored one. */
export interface AboutFiles {
  /** For the observation. */
  memory: AboutMemory;
  /** What was learned of the file of an app, and the facts to judge; once for each app. */
  take(facts: AppFacts): { learned: LearnedAbout; facts: AppFacts };
}

/** @param report receives failures of the network, which subscribers do not see */
export function openAboutFiles(
  records: Pick<AppRecords, 'read'>,
  credentials: RequestCredentials,
  report: (failure: Failure) => void,
): AboutFiles {
  const observed = new Map<string, ObservedAbout>();
  return {
    memory: {
      known: async (key) => (await records.read(key))?.about.file ?? null,
      keep: (key, about) => void observed.set(key, about),
    },
    take(facts) {
      const { key } = facts;
      const one = observed.get(key) ?? null;
      observed.delete(key);
      return { learned: learnedFrom(facts, one, credentials), facts: judgedFacts(facts, one, report) };
    },
  };
}

function learnedFrom(
  { about }: AppFacts,
  observed: ObservedAbout | null,
  credentials: RequestCredentials,
): LearnedAbout {
  // Its metadata file could not be read, so that it was not requested.
  if (observed === null) return 'unknown';
  if (about === undefined) return 'absent';
  const { content } = about;
  if (isMissing(content)) return content.missing.code === 'url-signed' ? 'absent' : 'unknown';
  const { known } = observed;
  // The content is free of credentials; a host may echo them elsewhere.
  const request = known && unlessSecret(credentials, { url: known.url, condition: known.condition });
  return { url: request?.url ?? '', condition: request?.condition ?? null, content };
}

/** The facts without what is no news, or would reveal the network of the service. */
function judgedFacts(facts: AppFacts, observed: ObservedAbout | null, report: (failure: Failure) => void): AppFacts {
  const { about, ...rest } = facts;
  if (about === undefined || !isMissing(about.content)) return facts;
  // A metadata file with such a URL has no about file.
  if (about.content.missing.code === 'url-signed') return rest;
  return { ...rest, about: { ...about, content: redactedMissing(about.content, observed?.failure ?? null, report) } };
}
