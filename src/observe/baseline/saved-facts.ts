import { message, type SafeText } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { Snapshot } from '../../core/facts/facts.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { faultText, readInputFile, schemaViolations, syntaxFaultOf } from '../../core/json/input-file.ts';
import { isObject, type JsonObject, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { pointerTo } from '../../core/json/pointer.ts';
import { type DocumentWords, mustBe, type Validator, type Violation } from '../../core/json/violations.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { contentOf } from '../content/document-content.ts';

/** Saved facts: a snapshot as `verify --save` and `diagnose --bundle` write it. */

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
export function savedDocuments(content: DocumentContent, name: string): SavedDocuments | null {
  const known = parseDocument(content).value;
  if (!isObject(known) || known['snapshot'] === undefined) return null;
  const { value, faults } = readInputFile(content, violationsIn);
  if (value !== null && isSaved(value)) return value;
  throw invalidFacts(faultText(name, faults));
}

function invalidFacts(summary: SafeText): AppregError {
  return new AppregError(
    'facts-invalid',
    summary,
    message`Give a file that appreg verify --save or appreg diagnose --bundle wrote.`,
  );
}

/** Reads saved facts. @throws AppregError for an invalid file, with all its faults and their places */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const read = readRegularFile(path);
  if ('failure' in read) throw invalidFacts(message`${path} ${read.failure}.`);
  const content = contentOf(read.bytes);
  const syntaxFault = syntaxFaultOf(content);
  if (syntaxFault !== null) throw invalidFacts(faultText(path, [syntaxFault]));
  const { validateFacts } = await import('../../core/generated/facts.js');
  const isSnapshot = (given: JsonValue | undefined): given is JsonObject & Snapshot => validateFacts(given);
  const { value } = parseDocument(content);
  if (isSnapshot(value)) return { ...value, orphans: value.orphans ?? [] };
  const { default: schema } = await import('../../../schemas/facts.schema.json', { with: { type: 'json' } });
  const { faults } = readInputFile(content, (given) => factsViolations(given, validateFacts, schema));
  throw invalidFacts(faultText(path, faults));
}

function factsViolations(value: JsonValue, validate: Validator, schema: DocumentWords['schema']): Violation[] {
  const format = member(value, 'snapshot');
  const whole = 'The saved facts';
  if (isObject(value) && format !== 1)
    return [mustBe('/snapshot', '1, the format that this version of appreg reads', format, whole)];
  return schemaViolations(validate, value, { schema, whole, member: 'field' });
}

function isSaved(value: JsonValue): value is JsonValue & SavedDocuments {
  return violationsIn(value).length === 0;
}

function violationsIn(value: JsonValue): Violation[] {
  const [snapshot, manifest, apps] = ['snapshot', 'manifest', 'apps'].map((name) => member(value, name));
  if (snapshot !== 1) return [mustBe('/snapshot', '1, the format that this version of appreg reads', snapshot, WHOLE)];
  const ofManifest = documentViolations(manifest, '/manifest');
  if (!Array.isArray(apps)) return [...ofManifest, mustBe('/apps', 'a list', apps, WHOLE)];
  const ofApps = apps.flatMap((app, index) => {
    const place = pointerTo('apps', index);
    if (!isObject(app)) return [mustBe(place, 'an object', app, WHOLE)];
    const key = typeof app['key'] === 'string' ? [] : [mustBe(`${place}/key`, 'text', app['key'], WHOLE)];
    return [...key, ...documentViolations(app['metadata'], `${place}/metadata`)];
  });
  return [...ofManifest, ...ofApps];
}

function documentViolations(document: JsonValue | undefined, place: string): Violation[] {
  if (!isObject(document)) return [mustBe(place, 'an object', document, WHOLE)];
  const content = document['content'];
  const at = `${place}/content`;
  if (!isObject(content)) return [mustBe(at, 'an object', content, WHOLE)];
  const { missing, text, base64, bytes } = content;
  if (missing !== undefined) {
    const code = member(missing, 'code');
    return typeof code === 'string' ? [] : [mustBe(`${at}/missing/code`, 'text', code, WHOLE)];
  }
  const found: Violation[] = [];
  if (text !== null && typeof text !== 'string') found.push(mustBe(`${at}/text`, 'text or null', text, WHOLE));
  if (base64 !== null && (typeof base64 !== 'string' || !BASE64.test(base64)))
    found.push(mustBe(`${at}/base64`, 'text in base64, or null', base64, WHOLE));
  if (text === null && base64 === null) found.push(mustBe(`${at}/text`, 'text, because “base64” is null', text, WHOLE));
  if (typeof bytes !== 'number') found.push(mustBe(`${at}/bytes`, 'a number', bytes, WHOLE));
  return found;
}

const WHOLE = 'The facts';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
