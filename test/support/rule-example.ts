import { isPlainUrl } from '../../src/core/url/url-error.ts';
import { appFields, iconUrlOf, textsForPeople, versionFields } from '../../src/core/registry/manifest.ts';
import { ListedVersions } from '../../src/core/registry/listed-versions.ts';
import { versionEntry } from '../../src/core/registry/version-entry.ts';
import type { ResourceKind } from '../../src/core/facts/facts.ts';
import { type JsonObject, type JsonValue, member, stringOrNull } from '../../src/core/json/json.ts';
import { urlParts } from '../../src/core/url/url.ts';
import type { Subject } from '../../src/core/rules/subjects.ts';
import { otherBase } from '../../src/observe/workspace/places.ts';
import { artifactFacts } from './archive-example.ts';
import { aboutSubject } from './about-example.ts';
import { attestationExample } from './attestation-example.ts';
import { deploymentFacts } from './deployment-example.ts';
import { documentFacts, NOW } from './core-facts.ts';
import { exchangeFacts, firstBody } from './exchange-example.ts';
import { hasExchanges } from './exchange-text.ts';
import { load } from './host-load.ts';
import { subscriptionFacts } from './subscription-example.ts';
import { seenIcon } from './icons.ts';
import { END, header, pixels, png } from './png-builder.ts';

type Facts = Record<string, unknown>;

/** Facts from the text of an example, by the subject of the rule. */
export const EXAMPLE_FACTS: Record<Subject, (text: string) => Facts | Promise<Facts>> = {
  document: (text) => ({ ...documentFacts(text, text.includes('"versions"') ? 'metadata' : 'manifest') }),
  app: (text) => {
    const [[key, entry] = ['', {}]] = Object.entries(JSON.parse(`{${text}}`) as JsonObject);
    const fields = appFields(entry);
    return { key, entry, name: fields.name, color: fields.color, texts: textsForPeople(fields) };
  },
  url: (text) => {
    const [[name, url] = ['', '']] = Object.entries(JSON.parse(`{${text}}`) as Record<string, string>);
    const resource = RESOURCES[name];
    if (resource === undefined) throw new Error(`Unknown URL field "${name}" in an example`);
    const parsed = urlParts(url);
    return { resource, url, parsed, isPlain: parsed !== null && isPlainUrl(url, parsed), now: NOW, registry: null };
  },
  version: (text) => {
    const { version, semver, artifactChecksum, digest } = versionEntry(0, versionFields(JSON.parse(text) as JsonValue));
    return { index: 0, version, semver, checksum: artifactChecksum, digest, all: [], served: null };
  },
  manifest: (text) => {
    const { json, notes } = noted(text);
    const apps = Object.entries((JSON.parse(json) as { apps: JsonObject }).apps);
    const metadataUrls = apps.map(([, entry]) => stringOrNull(member(entry, 'appMetadataUrl')));
    const urls = metadataUrls.flatMap((url) => url ?? []);
    const baseUrl = notes.get('baseUrl');
    return {
      keys: apps.map(([key]) => key),
      metadataUrls,
      iconUrls: apps.map(([, entry]) => iconUrlOf(entry)),
      otherBase: baseUrl === undefined ? null : otherBase(urls, baseUrl, (path) => path === notes.get('file')),
      earlierKeys: notes.get('published')?.split(' ') ?? [],
      earlierSource: 'appreg.lock.json',
      requested: notes.get('requested')?.split(' ') ?? [],
      copyAge: 0,
    };
  },
  metadata: (text) => {
    const { json, notes } = noted(text);
    const versions = (JSON.parse(json) as { versions: JsonValue[] }).versions.map((item, index) =>
      versionEntry(index, versionFields(item)),
    );
    const published = notes.get('published');
    const other = notes.get('otherApp');
    const otherApps = new ListedVersions();
    if (other !== undefined) otherApps.add('echo', [versionEntry(0, versionFields(JSON.parse(other) as JsonValue))]);
    return {
      app: 'clock',
      otherApps,
      versions,
      listed: versions.length,
      earlier: published === undefined ? [] : [JSON.parse(published)],
      earlierSource: 'appreg.lock.json',
      requestedVersion: notes.get('requested') ?? null,
      copyAge: 0,
    };
  },
  'local-file': (text) => {
    const { referenced, files } = workspaceFiles(text);
    const [path = ''] = referenced;
    return { resource: 'metadata', path, state: files.includes(path) ? null : 'missing' };
  },
  file: (text) => {
    const [path, listed] = text.split('\n').map((line) => line.split(': ')[1]?.trim());
    return { resource: 'metadata', path, listed };
  },
  workspace: (text) => {
    const { referenced, files } = workspaceFiles(text);
    const unused = files.filter((file) => !referenced.includes(file));
    const unlisted = unused.filter((file) => file.endsWith('.tar.gz'));
    return { orphans: unused.filter((file) => !unlisted.includes(file)), unlisted };
  },
  exception: (text) => {
    const { json, notes } = noted(text);
    const written = JSON.parse(json) as { rule: string; reason: string };
    const exception = { app: null, version: null, url: null, secret: null, until: null, issue: null, ...written };
    return { exception, isListed: true, isUsed: notes.get('found') === written.rule, keys: [] };
  },
  resource: exchangeFacts,
  artifact: artifactFacts,
  attestation: attestationExample,
  about: (text) => {
    const { json, notes } = noted(text);
    return { ...aboutSubject(json, notes.get('listed')?.split(' ') ?? []) };
  },
  icon: (text) => {
    const isExchange = hasExchanges(text);
    const { answer, web, origins = [] } = isExchange ? exchangeFacts(text) : {};
    return { ...seenIcon(imageBytes(isExchange ? firstBody(text) : text)), web, answer, origins };
  },
  subscription: subscriptionFacts,
  deployment: deploymentFacts,
  host: (text) => {
    const lines = [...text.matchAll(/^(\d+) concurrent requests?: (\d+) answered(?:, (\d+) refused \((.+)\))?$/gm)];
    const counts = lines.map(([, sent, answered, refused = 0]) => [sent, [Number(answered), Number(refused)]]);
    const refusals = lines.flatMap(([, , , , how]) => how ?? []);
    return { facts: load(Object.fromEntries(counts) as Parameters<typeof load>[0], refusals) };
  },
};

/** The lines `appMetadataUrl: <path>` and `in the folder: <path>`. */
function workspaceFiles(text: string): { referenced: string[]; files: string[] } {
  const pathsOf = (name: string): string[] =>
    text.split('\n').flatMap((line) => (line.startsWith(`${name}:`) ? line.slice(name.length + 1).trim() : []));
  return { referenced: [...pathsOf('appMetadataUrl'), ...pathsOf('artifactUrl')], files: pathsOf('in the folder') };
}

/** The image itself, or a PNG from a description as of `file`. */
function imageBytes(text: string): string | Uint8Array {
  const [, width, height] = /PNG image data, (\d+) x (\d+)/.exec(text) ?? [];
  if (width === undefined || height === undefined) return text;
  return png(header({ width: Number(width), height: Number(height) }), pixels(100), END);
}

const RESOURCES: Readonly<Partial<Record<string, ResourceKind>>> = {
  appMetadataUrl: 'metadata',
  artifactUrl: 'artifact',
  iconUrl: 'icon',
};

/** A document, and the lines before it: `// published: …`, `// requested: …`. */
function noted(text: string): { json: string; notes: Map<string, string> } {
  const notes = new Map<string, string>();
  const json = text.replaceAll(/^\/\/ (\w+): (.*)$/gm, (_, name: string, value: string) => {
    notes.set(name, value);
    return '';
  });
  return { json, notes };
}
