import { AppregError } from '../../core/errors.ts';
import type { Snapshot } from '../../core/facts/facts.ts';
import { isObject, type JsonValue } from '../../core/json/json.ts';
import { printable } from '../../core/text/text.ts';

/** The part of saved facts that a baseline is made of: the documents. */
export interface SavedDocuments {
  manifest: Pick<Snapshot['manifest'], 'content'>;
  apps: readonly { key: string; metadata: Pick<Snapshot['manifest'], 'content'> }[];
}

/**
 * The documents in saved facts; null for a file of another kind.
 * @param name of the file, as it was given
 * @throws AppregError for saved facts whose documents cannot be read
 */
export function savedDocuments(value: JsonValue | undefined, name: string): SavedDocuments | null {
  if (!isObject(value) || value['snapshot'] === undefined) return null;
  const fault = faultIn(value);
  if (isSaved(value)) return value;
  throw new AppregError(
    'facts-invalid',
    `${printable(name)} contains no saved facts that can be compared with: ${fault}.`,
    'Give a file that appreg verify --save or appreg diagnose --bundle wrote.',
  );
}

function isSaved(value: Record<string, JsonValue>): value is Record<string, JsonValue> & SavedDocuments {
  return faultIn(value) === null;
}

/** The first violation, with its place; null if there is none. */
function faultIn({ snapshot, manifest, apps }: Record<string, JsonValue>): string | null {
  if (snapshot !== 1) return 'this version of appreg does not support their format';
  const ofManifest = documentFault(manifest, '/manifest');
  if (ofManifest !== null) return ofManifest;
  if (!Array.isArray(apps)) return '/apps is not an array';
  for (const [index, app] of apps.entries()) {
    const place = `/apps/${index}`;
    if (!isObject(app)) return `${place} is not an object`;
    if (typeof app['key'] !== 'string') return `${place}/key is not a string`;
    const ofMetadata = documentFault(app['metadata'], `${place}/metadata`);
    if (ofMetadata !== null) return ofMetadata;
  }
  return null;
}

function documentFault(document: JsonValue | undefined, place: string): string | null {
  if (!isObject(document)) return `${place} is not an object`;
  const content = document['content'];
  if (!isObject(content)) return `${place}/content is not an object`;
  const { missing, text, base64, bytes } = content;
  if (missing !== undefined)
    return isObject(missing) && typeof missing['code'] === 'string' ? null : `${place}/content/missing has no code`;
  if (text !== null && typeof text !== 'string') return `${place}/content/text is neither a string nor null`;
  if (base64 !== null && (typeof base64 !== 'string' || !BASE64.test(base64)))
    return `${place}/content/base64 is neither base64 nor null`;
  if (text === null && base64 === null) return `${place}/content has neither text nor base64`;
  return typeof bytes === 'number' ? null : `${place}/content/bytes is not a number`;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
