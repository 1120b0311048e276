import type { ResourceKind } from '../../src/core/facts/facts.ts';
import { type JsonObject, type JsonValue, member, stringOrNull } from '../../src/core/json/json.ts';
import { urlParts } from '../../src/core/http/url.ts';
import type { Subject, VersionEntry } from '../../src/core/rules/rule.ts';
import { documentFacts, NOW } from './core-facts.ts';

/** Facts from the text of an example, by the subject of the rule. */
export const EXAMPLE_FACTS: Partial<Record<Subject, (text: string) => Record<string, unknown>>> = {
  document: (text) => documentFacts(text, text.includes('"versions"') ? 'metadata' : 'manifest'),
  app: (text) => {
    const [[key, entry] = ['', {}]] = Object.entries(JSON.parse(`{${text}}`) as JsonObject);
    const color = member(member(entry, 'blockStyle'), 'color');
    return { key, entry, name: member(entry, 'name'), description: member(entry, 'description'), color };
  },
  url: (text) => {
    const [[name, url] = ['', '']] = Object.entries(JSON.parse(`{${text}}`) as Record<string, string>);
    const role = ROLES[name];
    if (role === undefined) throw new Error(`Unknown URL field "${name}" in an example`);
    return { role, url, parsed: urlParts(url), now: NOW, registry: null };
  },
  version: (text) => {
    const { version, checksum } = versionEntry(JSON.parse(text) as JsonValue, 0);
    return { index: 0, version, checksum, all: [], served: null };
  },
  manifest: (text) => {
    const { json, notes } = noted(text);
    const apps = Object.entries((JSON.parse(json) as { apps: JsonObject }).apps);
    return {
      keys: apps.map(([key]) => key),
      metadataUrls: apps.map(([, entry]) => stringOrNull(member(entry, 'appMetadataUrl'))),
      earlierKeys: notes.get('published')?.split(' ') ?? [],
      earlierSource: 'appreg.lock.json',
      asked: notes.get('requested')?.split(' ') ?? [],
      copyAge: 0,
    };
  },
  metadata: (text) => {
    const { json, notes } = noted(text);
    const versions = (JSON.parse(json) as { versions: JsonValue[] }).versions.map(versionEntry);
    const published = notes.get('published');
    return {
      versions,
      listed: versions.length,
      earlier: published === undefined ? [] : [JSON.parse(published)],
      earlierSource: 'appreg.lock.json',
      askedVersion: notes.get('requested') ?? null,
      copyAge: 0,
    };
  },
  file: (text) => {
    const [path, listed] = text.split('\n').map((line) => line.split(': ')[1]?.trim());
    return { role: 'metadata', path, listed };
  },
};

const ROLES: Readonly<Partial<Record<string, ResourceKind>>> = {
  appMetadataUrl: 'metadata',
  artifactUrl: 'artifact',
  iconUrl: 'icon',
};

function versionEntry(value: JsonValue, index: number): VersionEntry & { checksum: string | null } {
  const checksum = stringOrNull(member(value, 'artifactChecksum'));
  return {
    index,
    version: stringOrNull(member(value, 'version')),
    artifactUrl: stringOrNull(member(value, 'artifactUrl')),
    artifactChecksum: checksum,
    checksum,
  };
}

/** A document, and the lines before it: `// published: …`, `// requested: …`. */
function noted(text: string): { json: string; notes: Map<string, string> } {
  const notes = new Map<string, string>();
  const json = text.replaceAll(/^\/\/ (\w+): (.*)$/gm, (_, name: string, value: string) => {
    notes.set(name, value);
    return '';
  });
  return { json, notes };
}
