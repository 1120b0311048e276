// The packages whose code is in a build: their licences, and a bill of materials. The same packages give the same bytes.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';

/**
 * The packages of modules, by name and version.
 * @param modules their ids: paths, or paths of folders with a slash at the end
 */
export function bundledPackages(modules) {
  const folders = new Set();
  for (const id of modules) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'));
    if (found) folders.add(found[1]);
  }
  const packages = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((name) => /^licen[sc]e/i.test(name));
    return { manifest, text: file ? readFileSync(join(folder, file), 'utf8').trim() : '' };
  });
  // Several copies of a version are one package.
  const unique = new Map(packages.map((one) => [nameAndVersion(one.manifest), one]));
  return [...unique.values()].sort((a, b) => (nameAndVersion(a.manifest) < nameAndVersion(b.manifest) ? -1 : 1));
}

const nameAndVersion = ({ name, version }) => `${name} ${version}`;

/** The licence texts, each once, after the packages that have it and their copyright notices. */
export function licenceTexts(packages) {
  // The text of this licence is the same for every package, also for those that do not include it.
  const apache = packages.find(({ manifest, text }) => manifest.license === 'Apache-2.0' && text !== '')?.text ?? '';
  const byWords = new Map();
  for (const { manifest, text } of packages) {
    const lines = (text || (manifest.license === 'Apache-2.0' ? apache : '')).split('\n');
    const terms = lines
      .filter((line) => !COPYRIGHT.test(line))
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
    // Texts differ in spaces, quotes and Markdown.
    const words = terms.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').toLowerCase();
    const { names, notices } = byWords.get(words) ?? { names: [], notices: new Set() };
    names.push(`${nameAndVersion(manifest)} (${manifest.license})`);
    for (const line of lines) if (COPYRIGHT.test(line)) notices.add(line.trim());
    byWords.set(words, { terms, ...byWords.get(words), names, notices });
  }
  const parts = [...byWords.values()].map(({ terms, names, notices }) =>
    [names.join('\n'), [...notices].join('\n'), `${terms}\n`].filter((part) => part !== '').join('\n\n'),
  );
  return parts.join(`\n${'-'.repeat(80)}\n\n`) || 'This package contains no code of other packages.\n';
}

/** A line that names the owner of a package. */
const COPYRIGHT = /^\s*(?:Portions )?Copyright (?:\(c\)|©|\d)/i;

/**
 * The bill of materials: CycloneDX 1.6 in JSON, without a time; its serial number is derived from its content.
 * @param manifest the package.json of what was built
 */
export function billOfMaterials(manifest, packages) {
  const references = new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory();
  const licences = new Contrib.License.Factories.LicenseFactory();
  const builder = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(references, licences);
  const bom = new Models.Bom();
  const described = component(builder, manifest, Enums.ComponentType.Application);
  bom.metadata.component = described;
  for (const one of packages) {
    const library = component(builder, one.manifest, Enums.ComponentType.Library);
    bom.components.add(library);
    described.dependencies.add(library.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  const write = () => serializer.serialize(bom, { sortLists: true, space: 2 });
  bom.serialNumber = `urn:uuid:${uuidOf(write())}`;
  return `${write()}\n`;
}

/** A component whose reference is its package URL. */
function component(builder, { name, version, license, description, homepage }, type) {
  // Only what a reader of the bill compares: addresses of issue trackers and of authors change between releases.
  const made = builder.makeComponent({ name, version, license, description, homepage }, type);
  made.purl = new PackageURL('npm', made.group, made.name, version).toString();
  made.bomRef.value = made.purl;
  return made;
}

/** A UUID of version 8 (RFC 9562, section 5.8) from the SHA-256 digest of a text. */
function uuidOf(text) {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
