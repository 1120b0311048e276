import { createHash } from 'node:crypto';
import { PackageURL } from 'packageurl-js';
import parse from 'spdx-expression-parse';
import { VERSION } from '../../core/values/tool-version.ts';
import { type BundledPackage, idOf, type Materials } from './materials.ts';
import type { Origin } from './package-origin.ts';

export interface BillSubject {
  /** The key of the app, or what else names the artifact. */
  name: string;
  /** Null if it is not known yet. */
  version: string | null;
  /** `sha256:HEX` of the artifact. */
  checksum: string;
}

/**
 * The bill of materials of an artifact: CycloneDX 1.6 in JSON (ECMA-424). It contains no time, and its serial number is
 * derived from its content, so the same packages give the same bytes.
 */
export function billOfMaterials({ packages, imports, esbuild }: Materials, subject: BillSubject): Uint8Array {
  const { name, version, checksum } = subject;
  const content = {
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      tools: {
        components: [
          { type: 'application', name: 'appreg', version: VERSION },
          { type: 'application', name: 'esbuild', version: esbuild },
        ],
      },
      component: {
        type: 'application',
        'bom-ref': SUBJECT,
        name,
        ...(version !== null && { version }),
        hashes: [{ alg: 'SHA-256', content: checksum.replace('sha256:', '') }],
      },
    },
    components: packages.map(componentOf),
    dependencies: [
      { ref: SUBJECT, dependsOn: (imports.get('') ?? []).map(referenceTo) },
      ...packages.map((one) => ({
        ref: referenceTo(idOf(one)),
        dependsOn: (imports.get(idOf(one)) ?? []).map(referenceTo),
      })),
    ],
  };
  const head = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
  };
  return Buffer.from(`${JSON.stringify({ ...head, ...content }, null, 2)}\n`);
}

/** The reference of the artifact itself. */
const SUBJECT = 'artifact';

function referenceTo(id: string): string {
  return `package:${id}`;
}

function componentOf(one: BundledPackage): object {
  const { name, version, license, origin } = one;
  const [, scope, rest] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const purl = purlOf(scope ?? null, rest ?? name, version, origin);
  return {
    type: 'library',
    'bom-ref': referenceTo(idOf(one)),
    ...(scope !== undefined && { group: scope }),
    name: rest ?? name,
    ...(version !== null && { version }),
    ...(license !== null && { licenses: [licenseOf(license)] }),
    ...(purl !== null && { purl }),
  };
}

/**
 * Names the package of a registry, or where else it is from. Null for a local package, which nothing else may be taken for,
 * and for a name that a purl cannot have, which the registry of npm does not accept either.
 */
function purlOf(scope: string | null, name: string, version: string | null, origin?: Origin): string | null {
  const qualifiers = qualifiersOf(origin);
  if (origin !== undefined && qualifiers === null) return null;
  try {
    return new PackageURL('npm', scope, name, version, qualifiers, null).toString();
  } catch {
    return null;
  }
}

function qualifiersOf(origin: Origin = {}): Record<string, string> | null {
  if ('vcsUrl' in origin) return { vcs_url: origin.vcsUrl };
  return 'downloadUrl' in origin ? { download_url: origin.downloadUrl } : null;
}

/** An SPDX identifier, an expression, or other words, as the package declares it. */
function licenseOf(license: string): object {
  const acknowledgement = 'declared';
  try {
    const expression = parse(license);
    const isIdentifier = 'license' in expression && expression.license === license && !license.includes('Ref-');
    return isIdentifier ? { license: { id: license, acknowledgement } } : { expression: license, acknowledgement };
  } catch {
    return { license: { name: license, acknowledgement } };
  }
}

/** A UUID of version 8 (RFC 9562, section 5.8) from the SHA-256 digest of a text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
