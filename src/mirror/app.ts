import type { JudgedApp } from '../core/offers/judged-app.ts';
import { type OfferedVersion, outcomeOf } from '../core/offers/visibility.ts';
import { readAboutFile } from '../core/about/about-file.ts';
import { aboutPath } from '../core/registry/companion.ts';
import { type AppFacts, type ArtifactFacts, type DocumentFacts, isMissing } from '../core/facts/facts.ts';
import { isObject, type JsonObject, type JsonValue, parseDocument } from '../core/json/json.ts';
import { iconUrlOf, listedVersions, versionFields } from '../core/registry/manifest.ts';
import { reasonText } from '../core/rules/lookup.ts';
import { comparableUrl, fragmentOf } from '../core/url/url.ts';
import { settleCompanions } from './companions.ts';
import { put, addressOf, asText, pathsOf, rewrittenEntry, rewrittenMetadata, rewrittenVersion } from './rewrite.ts';
import { discardFile } from './index-file.ts';
import { withLocalArtifacts } from './prepare.ts';
import type { MirrorRun, PreparedApp } from './run.ts';

/** Judges one app, and writes what the service would offer of it: its icon, then its metadata file. */

/** An app of the source, as far as it can be mirrored. */
interface SourceApp {
  key: string;
  entry: JsonObject;
  metadata: JsonObject;
  list: readonly JsonValue[];
  prepared: PreparedApp;
}

/** Mirrors one app. Returns its entry in the mirror's manifest, or null if there is nothing to list. */
export async function mirrorApp(run: MirrorRun, facts: AppFacts): Promise<JsonObject | null> {
  const { key } = facts;
  const prepared = run.prepared.get(key);
  if (prepared === undefined) throw new Error('an app is prepared before it is mirrored');
  const metadata = isMissing(facts.metadata.content) ? undefined : parseDocument(facts.metadata.content).value;
  const list = listedVersions(metadata) ?? [];
  const artifacts = await withLocalArtifacts(run, prepared, list, facts.artifacts);
  const judged = run.judging.app({ ...facts, artifacts });
  const companions = await prepared.companions;
  run.prepared.delete(key);
  for (const { url, digest, path } of prepared.fetched) run.paths.delete(url, digest, path);
  const entry = run.source?.apps[key];
  if (prepared.refusal !== null) {
    run.result.problems.push({ app: key, version: null, url: null, ...prepared.refusal });
    return null;
  }
  if (judged.documents.visible !== true || !isObject(entry) || !isObject(metadata)) {
    run.hidden.add(key);
    await discardFiles(run, prepared);
    await settleCompanions(run, companions, []);
    return null;
  }
  const app = { key, entry, metadata, list, prepared };
  const versions = await versionsOf(run, app, judged, artifacts);
  if (facts.about !== undefined && versions.length > 0) await mirrorAbout(run, key, facts.about);
  await settleCompanions(run, companions, versions);
  return writeApp(run, app, { versions, icon: facts.icon });
}

/** Deletes the artifacts of an app that is left out, except those that the mirror lists. */
async function discardFiles(run: MirrorRun, { before, fetched, local }: PreparedApp): Promise<void> {
  if (before.length > 0) return;
  for (const path of [...fetched.map((one) => one.path), ...local.values()])
    await discardFile(run.root, path, run.index);
}

async function writeApp(
  run: MirrorRun,
  { key, entry, metadata }: SourceApp,
  { versions, icon }: { versions: readonly JsonObject[]; icon: AppFacts['icon'] },
): Promise<JsonObject | null> {
  // Subscribers do not see an app without versions, and it would be an error in the mirror.
  if (versions.length === 0) return null;
  const iconUrl = await mirrorIcon(run, key, entry, icon);
  const path = pathsOf.metadata(key);
  await put(run.store, path, asText(rewrittenMetadata(metadata, versions)));
  run.result.versions += versions.length;
  return rewrittenEntry(entry, addressOf(run.options.base, path), iconUrl);
}

/**
 * Copies the about file, which has no URLs of the registry. The copy of a file that cannot be read, or that is broken,
 * stays as it is.
 */
async function mirrorAbout({ store, result }: MirrorRun, key: string, { url, content }: DocumentFacts): Promise<void> {
  const report = (code: string, message: string): void => {
    result.problems.push({ app: key, version: null, url, code, message });
  };
  if (isMissing(content))
    return report('about-unknown', `The about file was not copied: ${reasonText(content.missing, 'metadata')}.`);
  if (readAboutFile(content).about === null || content.text === null)
    return report('about-invalid', 'The about file has errors, and was not copied: appreg verify --about names them.');
  await put(store, aboutPath(pathsOf.metadata(key)), content.text);
}

/** The elements of `versions` in the mirror: those that are offered, and those that the source withdrew. */
async function versionsOf(
  run: MirrorRun,
  app: SourceApp,
  { offers }: JudgedApp,
  artifacts: readonly ArtifactFacts[],
): Promise<JsonObject[]> {
  const { key, list, prepared } = app;
  const { options, result } = run;
  const items: JsonObject[] = [];
  for (const offered of offers) {
    const item = await offeredItem(run, app, offered, artifacts[offered.offer.entry.listed.index]);
    if (item !== null) items.push(item);
  }
  const offered = new Set(offers.map(({ version }) => version));
  const names = new Set(list.map((item) => versionFields(item).version));
  const isUsable = (item: JsonValue): boolean => offered.has(versionFields(item).version ?? '');
  run.unusable.set(
    key,
    [...list.keys()].filter((index) => !isUsable(list[index] ?? null)),
  );
  for (const { version, item } of prepared.before) {
    if (offered.has(version)) continue;
    const isWithdrawn = !names.has(version);
    if (isWithdrawn && options.prune) continue;
    items.push(item);
    if (isWithdrawn) result.kept.push({ app: key, version });
  }
  return items;
}

/** The element of a version in the mirror; null if it is not offered. A version that was mirrored never changes. */
async function offeredItem(
  run: MirrorRun,
  { key, list, prepared }: SourceApp,
  { version, offer, before }: OfferedVersion,
  facts: ArtifactFacts | undefined,
): Promise<JsonObject | null> {
  const item = list[offer.entry.listed.index];
  const path = pathsOf.artifact(key, version);
  const report = (code: string, message: string): null => {
    run.result.problems.push({ app: key, version, url: versionFields(item).artifactUrl, code, message });
    return null;
  };
  const known = prepared.before.find((one) => one.version === version);
  if (known && offer.entry.checksum !== `sha256:${known.digest}`) {
    report('artifact-changed', `${CHANGED} sha256:${known.digest} was mirrored first and is kept.`);
    return known.item;
  }
  if (known && isNotSelected(facts)) return known.item;
  const { isOffered, rule, isLeftOut } = outcomeOf(offer, before);
  if (isOffered && isObject(item)) return rewrittenVersion(item, addressOf(run.options.base, path));
  const refusal = prepared.refused.get(version);
  if (refusal !== undefined) return report('path-refused', refusal);
  if (offer.state !== 'refused')
    return isLeftOut && isNotSelected(facts) ? null : report(rule ?? 'not-examined', whyUnknown(facts));
  // Its bytes may have the listed digest, and break another rule.
  if (known === undefined) await discardFile(run.root, path, run.index);
  return report(offer.rule, offer.message);
}

const CHANGED = 'The version is listed with a different checksum now;';

/** True for a version that the options leave out. */
function isNotSelected(facts: ArtifactFacts | undefined): boolean {
  return facts !== undefined && isMissing(facts.web) && facts.web.missing.code === 'version-not-requested';
}

/** The reason why it is not known whether a version is offered. */
function whyUnknown(facts: ArtifactFacts | undefined): string {
  const reason = facts === undefined ? null : [facts.content, facts.web].find(isMissing);
  return `The artifact was not examined${reason ? `: ${reasonText(reason.missing, 'artifact')}` : ''}.`;
}

/** The icon's URL in the mirror; null if it is not copied. */
async function mirrorIcon(
  { store, options, icons, result }: MirrorRun,
  key: string,
  entry: JsonObject,
  { image }: AppFacts['icon'],
): Promise<string | null> {
  const url = iconUrlOf(entry);
  const bytes = icons.get(comparableUrl(url ?? ''));
  const kind = isMissing(image) ? null : image.kind;
  if (url === null || bytes === undefined || (kind !== 'png' && kind !== 'svg')) {
    const what = kind === null ? 'was not fetched' : 'is neither PNG nor SVG';
    const code = kind === null ? 'icon-unusable' : 'icon-not-image';
    const message = `The icon ${what}; its URL is kept.`;
    result.problems.push({ app: key, version: null, url, code, message });
    return null;
  }
  const path = pathsOf.icon(key, kind);
  await put(store, path, bytes);
  // The fragment selects the part of an SVG to display.
  return addressOf(options.base, path) + fragmentOf(url);
}
