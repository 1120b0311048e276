import type { AppFacts, DocumentFacts, HostFacts, Shard, Snapshot } from '../../core/facts/facts.ts';
import type { ShapeError } from '../../core/generated/validators.js';
import { printable, redactInPlace, shorten } from '../../core/text/text.ts';
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
   * @param incomplete why the observation is incomplete, or null; @param shard the observed shard of the apps
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

/** Reads saved facts. Throws AppregError for an invalid file, with the location of the first schema violation. */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const read = readRegularFile(path);
  if ('failure' in read) throw invalidFacts(`${printable(path)} ${read.failure}.`);
  const text = read.bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the file.
    throw invalidFacts(`${printable(path)} contains no saved facts: it is ${text === '' ? 'empty' : 'not JSON'}.`);
  }
  const { validateFacts } = await import('../../core/generated/facts.js');
  const isSnapshot = (given: unknown): given is Snapshot => validateFacts(given);
  if (!isSnapshot(value)) {
    const version = typeof value === 'object' && value !== null && 'snapshot' in value ? value.snapshot : undefined;
    if (version !== undefined && version !== 1)
      throw invalidFacts(`${printable(path)} contains facts in a format that this version of appreg does not support.`);
    const [violation] = validateFacts.errors ?? [];
    throw invalidFacts(
      `${printable(path)} contains no saved facts: ${violation ? describeViolation(violation) : 'the file is invalid'}.`,
    );
  }
  return { ...value, orphans: value.orphans ?? [] };
}

function invalidFacts(message: string): AppregError {
  return new AppregError(
    'facts-invalid',
    message,
    'Give a file that appreg verify --save or appreg diagnose --bundle wrote.',
  );
}

/** A schema violation in plain words: the location, and what is expected there. */
function describeViolation({ instancePath, keyword, message, params }: ShapeError): string {
  const place = instancePath === '' ? 'the file' : printable(shorten(instancePath));
  if (keyword === 'required') return `${place} has no field “${printable(String(params['missingProperty']))}”`;
  return `${place} ${message ?? 'is invalid'}`;
}
