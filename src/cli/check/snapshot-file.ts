import { type SafeText, message } from '../../core/text/message.ts';
import type { AppFacts, DocumentFacts, HostFacts, Shard, Snapshot } from '../../core/facts/facts.ts';
import type { Validator } from '../../core/json/shape-error.ts';
import { readInputFile, schemaViolations, syntaxFaultOf } from '../../core/json/input-file.ts';
import { isObject, type JsonObject, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { faultText } from '../../core/json/faults.ts';
import { type DocumentWords, mustBe, type Violation } from '../../core/json/violations.ts';
import { redactInPlace } from '../../core/text/text.ts';
import { contentOf } from '../../observe/workspace/document-content.ts';
import { AppregError } from '../../core/errors.ts';
import { openPartFile } from './part-file.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

/** Saved facts, written app by app during observation, so memory use does not depend on the registry's size. */
export interface SnapshotWriter {
  manifest(facts: DocumentFacts): void;
  app(facts: AppFacts): void;
  /** Called after all apps. */
  hosts(facts: readonly HostFacts[]): void;
  /**
   * Renames the completed file to its final path.
   * @param incomplete why the observation is incomplete, or null
   * @param shard the observed shard of the apps
   */
  finish(incomplete: string | null, shard?: Shard | null): void;
  /** Removes the partial file. Only the first call of `finish` or `abandon` takes effect. */
  abandon(): void;
}

/**
 * @param path absolute; an existing file is replaced atomically
 * @param conceal removes secrets from a text
 */
export function writeSnapshot(
  path: string,
  head: Pick<Snapshot, 'target' | 'seenAt' | 'origins' | 'appEntry'>,
  conceal: (text: string) => string,
): SnapshotWriter {
  const file = openPartFile(path);
  let apps = 0;
  let limited: readonly HostFacts[] = [];

  const json = (value: unknown): string => factsJson(value, conceal);
  file.write(
    `{"snapshot":1,"target":${json(head.target)},"seenAt":${json(head.seenAt)},"origins":${json(head.origins)}${head.appEntry === undefined ? '' : `,"appEntry":${json(head.appEntry)}`}`,
  );

  return {
    manifest: (facts) => file.write(`,\n"manifest":${json(facts)},\n"apps":[`),
    app: (facts) => file.write(`${apps++ === 0 ? '\n' : ',\n'}${json(facts)}`),
    hosts: (facts) => void (limited = facts),
    finish(incomplete, shard = null) {
      if (!file.isOpen) return;
      const more = [
        ...(shard === null ? [] : [`,"shard":${json(shard)}`]),
        ...(limited.length === 0 ? [] : [`,"hosts":${json(limited)}`]),
      ];
      file.write(`\n],"orphans":[],"incomplete":${json(incomplete)}${more.join('')}}\n`);
      file.finish();
    },
    abandon: () => file.abandon(),
  };
}

/** Facts as JSON without secrets, as written to any file. */
export function factsJson(value: unknown, conceal: (text: string) => string): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'string' ? conceal(redactInPlace(item)) : item));
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

function invalidFacts(summary: SafeText): AppregError {
  return new AppregError(
    'facts-invalid',
    summary,
    message`Give a file that appreg verify --save or appreg diagnose --bundle wrote.`,
  );
}
