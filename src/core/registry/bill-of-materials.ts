import { isObject, type JsonValue, member } from '../json/json.ts';
import { digestOf } from './checksum.ts';

/** What is read of a bill of materials in CycloneDX (ECMA-424), of any version and by any program. */
interface BillOfMaterials {
  /** The packages of npm that it lists, each version once, in the order listed. */
  packages: readonly PackageVersion[];
  /** SHA-256 of the artifact that it describes, in lowercase hexadecimal; null if it does not say. */
  subject: string | null;
}

export interface PackageVersion {
  name: string;
  version: string;
}

/** @returns null for a value that is not such a document */
export function billOfMaterialsIn(value: JsonValue | undefined): BillOfMaterials | null {
  if (member(value, 'bomFormat') !== 'CycloneDX') return null;
  const packages = new Map<string, PackageVersion>();
  const queue = [member(value, 'components')];
  for (const list of queue) {
    for (const component of Array.isArray(list) ? list : []) {
      const found = packageInPurl(member(component, 'purl'));
      if (found !== null) packages.set(`${found.name}@${found.version}`, found);
      queue.push(member(component, 'components'));
    }
  }
  return { packages: [...packages.values()], subject: digestOfSubject(value) };
}

/** Of `metadata.component`. */
function digestOfSubject(value: JsonValue | undefined): string | null {
  const hashes = member(member(member(value, 'metadata'), 'component'), 'hashes');
  const hash = Array.isArray(hashes) ? hashes.find((one) => isObject(one) && one['alg'] === 'SHA-256') : undefined;
  const content = member(hash, 'content');
  return typeof content === 'string' ? digestOf(`sha256:${content.toLowerCase()}`) : null;
}

/** The package of a purl (ECMA-427) of the type npm that has a version. */
const NPM_PURL = /^pkg:\/*npm\/(?:((?:@|%40)[^/@?#]+)\/)?([^/@?#]+)@([^@?#]+)/i;

function packageInPurl(purl: JsonValue | undefined): PackageVersion | null {
  const [, scope, name, version] = typeof purl === 'string' ? (NPM_PURL.exec(purl) ?? []) : [];
  if (name === undefined || version === undefined) return null;
  try {
    const decoded = [scope, name].filter((part) => part !== undefined).map((part) => decodeURIComponent(part));
    return { name: decoded.join('/'), version: decodeURIComponent(version) };
  } catch {
    // Invalid percent-encoding.
    return null;
  }
}
