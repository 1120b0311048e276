import { type About, type AboutApp, NOTHING_SAID, readAboutFile, type Retirement } from '../core/about/about-file.ts';
import { latestOffered } from '../core/about/retirement.ts';
import { type Build, buildOf } from '../core/attestation/build.ts';
import type { AttestationFacts } from '../core/facts/attestation.ts';
import { judgeAttestation } from '../core/attestation/judge.ts';
import type { JudgedApp } from '../core/offers/judged-app.ts';
import { offeredVersions } from '../core/offers/offered-versions.ts';
import type { ValidVersion } from '../core/registry/valid-version.ts';
import { compareText } from '../core/text/order.ts';
import { type AppFacts, isMissing } from '../core/facts/facts.ts';
import type { JsonValue } from '../core/json/json.ts';
import { isSafeKey } from '../core/registry/app-key.ts';
import { digestOf } from '../core/registry/checksum.ts';
import { type AppFields, appFields, hasAllFields, listedVersionsIn } from '../core/registry/manifest.ts';
import { isBlank } from '../core/text/text.ts';
import type { RegistryDocuments } from '../observe/workspace/tree-snapshot.ts';
import { appPaths, type AppPaths } from './paths.ts';

/** Content of a site: the apps that subscribers can see, by what the documents say. */

/** An app as the list shows it. */
export interface ListedApp {
  key: string;
  name: string;
  description: string;
  iconUrl: string | null;
  color: string | null;
  paths: AppPaths;
  latest: Pick<CatalogueVersion, 'version' | 'retired'>;
}

export interface CatalogueApp extends ListedApp {
  /** Of the metadata file. */
  url: string | null;
  latest: CatalogueVersion;
  /** The newest first, by precedence. */
  versions: readonly CatalogueVersion[];
  links: AboutApp;
  /** Of its entry in the manifest. */
  fields: AppFields;
}

export interface CatalogueVersion {
  version: string;
  artifactUrl: string;
  checksum: string;
  /** When it was published (ISO 8601), as the author says; null if unknown. */
  published: string | null;
  /** Markdown. */
  notes: string | null;
  retired: Retirement | null;
  /** Who built it, as its attestation proves; null if none does. */
  build: Build | null;
}

/** An app that is listed, but that no subscriber can see. */
export interface HiddenApp {
  key: string;
  why: 'key-not-safe' | 'entry-invalid' | 'metadata-unreadable' | 'no-valid-versions';
}

/** An app whose about file cannot be read: the site shows nothing that its author says. */
export interface UnreadAbout {
  key: string;
  why: 'about-invalid' | 'about-unknown';
}

/**
 * The verified facts of the attestation of a version; null if there is none.
 * @param index in `versions`
 */
export type AttestationOf = (
  app: AppFacts,
  artifactUrl: string,
  index: number,
) => AttestationFacts | Promise<AttestationFacts> | null;

export type Catalogued = { hidden: HiddenApp } | { app: CatalogueApp; unread: UnreadAbout | null };

/**
 * The apps of a registry in the order of its manifest, one after the other: a large registry is never held at once. What
 * subscribers can see is decided as in a report.
 * @param now ISO 8601
 */
export async function* catalogueOf(
  { manifest, entries, apps }: RegistryDocuments,
  attestationOf: AttestationOf,
  now: string,
): AsyncIterable<Catalogued> {
  // The rules are half of the program: the options and the folder are checked before they are loaded.
  const { startJudging } = await import('../core/engine/judge.ts');
  const judging = startJudging({ command: 'lint', target: '', now });
  judging.manifest(manifest);
  for (const facts of apps) {
    // An about file hides nothing.
    const { about: _about, ...documents } = facts;
    const found = await catalogued(facts, entries[facts.key] ?? null, judging.app(documents), attestationOf);
    yield typeof found === 'string' ? { hidden: { key: facts.key, why: found } } : found;
  }
}

/** Takes the fields that the list shows. */
export function listedApp({ key, name, description, iconUrl, color, paths, latest }: CatalogueApp): ListedApp {
  const { version, retired } = latest;
  return { key, name, description, iconUrl, color, paths, latest: { version, retired } };
}

/** The order of the list: by name, then by key. */
export function inListOrder(apps: readonly ListedApp[]): ListedApp[] {
  const named = apps.map((app) => ({ app, name: app.name.toLowerCase() }));
  return named.sort((a, b) => compareText(a.name, b.name) || compareText(a.app.key, b.app.key)).map(({ app }) => app);
}

/** The rules for which an app whose metadata file was read has no version. */
const WITHOUT_VERSIONS = ['no-valid-versions', 'schema-violation'];

async function catalogued(
  facts: AppFacts,
  entry: JsonValue,
  judged: JudgedApp,
  attestationOf: AttestationOf,
): Promise<Exclude<Catalogued, { hidden: HiddenApp }> | HiddenApp['why']> {
  const { key, metadata } = facts;
  if (!isSafeKey(key)) return 'key-not-safe';
  const fields = appFields(entry);
  const { name, description, iconUrl, color } = fields;
  if (name === null || description === null || !hasAllFields(entry)) return 'entry-invalid';
  const isRequestable = judged.documents.because.every((id) => WITHOUT_VERSIONS.includes(id));
  if (listedVersionsIn(metadata.content) === null || !isRequestable) return 'metadata-unreadable';
  const { about, why } = aboutOf(facts);
  const versions = await versionsOf(facts, offeredVersions(judged), about, attestationOf);
  const offered = latestOffered(
    versions.map(({ version }) => version),
    about,
  );
  const latest = versions.find(({ version }) => version === offered);
  if (latest === undefined) return 'no-valid-versions';
  const app = {
    key,
    name: isBlank(name) ? key : name,
    description,
    iconUrl,
    color,
    url: metadata.url,
    paths: appPaths(key),
    latest,
    versions,
    links: about?.app ?? NOTHING_SAID,
    fields,
  };
  return { app, unread: why && { key, why } };
}

/** Reads the statements of the author. A file that cannot be read hides nothing; lint and verify name its faults. */
function aboutOf({ about }: AppFacts): { about: About | null; why: UnreadAbout['why'] | null } {
  if (about === undefined) return { about: null, why: null };
  if (isMissing(about.content)) {
    // Such a URL has no about file.
    const isAbsent = about.content.missing.code === 'url-signed';
    return { about: null, why: isAbsent ? null : 'about-unknown' };
  }
  const read = readAboutFile(about.content).about;
  return { about: read, why: read === null ? 'about-invalid' : null };
}

async function versionsOf(
  facts: AppFacts,
  offered: readonly ValidVersion[],
  about: About | null,
  attestationOf: AttestationOf,
): Promise<CatalogueVersion[]> {
  const versions: CatalogueVersion[] = [];
  for (const { version, artifactUrl, artifactChecksum: checksum, index } of offered) {
    const sha256 = digestOf(checksum);
    if (sha256 === null) continue;
    const { published = null, notes = null, deprecated = null } = about?.versions.get(version) ?? {};
    const attested = attestationOf(facts, artifactUrl, index);
    versions.push({
      version,
      artifactUrl,
      checksum,
      published,
      notes,
      retired: deprecated,
      build: attested && provenBuild(await attested, { key: facts.key, version }, sha256),
    });
  }
  return versions;
}

/** Null for an attestation that is not about these bytes of this version. */
function provenBuild(facts: AttestationFacts, app: { key: string; version: string }, sha256: string): Build | null {
  const problem = judgeAttestation(facts, { sha256, app, sbomSha256: null, signer: null });
  return problem === null ? buildOf(facts) : null;
}

/** The attestation that was observed with the registry. */
export function observedAttestation(
  { artifacts }: AppFacts,
  _artifactUrl: string,
  index: number,
): AttestationFacts | null {
  const observed = artifacts[index]?.attestation;
  return observed === undefined || isMissing(observed) || observed.state === 'absent' ? null : observed.facts;
}
