import { isObject, type JsonValue, member } from '../json/json.ts';
import { digestOf } from './checksum.ts';

/**
 * The artifact that a bill of materials in CycloneDX (ECMA-424) describes, of any version and by any program.
 * @returns SHA-256 in lowercase hexadecimal; null if the value is not such a document, or does not say
 */
export function describedArtifact(value: JsonValue | undefined): string | null {
  if (member(value, 'bomFormat') !== 'CycloneDX') return null;
  const hashes = member(member(member(value, 'metadata'), 'component'), 'hashes');
  const hash = Array.isArray(hashes) ? hashes.find((one) => isObject(one) && one['alg'] === 'SHA-256') : undefined;
  const content = member(hash, 'content');
  return typeof content === 'string' ? digestOf(`sha256:${content.toLowerCase()}`) : null;
}
