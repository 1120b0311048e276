import { createHash } from 'node:crypto';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import { documentWithText, type Document } from '../../src/author/document.ts';
import { isAppregError } from '../../src/core/errors/error.ts';
import { EditStep } from '../../src/publish/edit-step.ts';
import { StoredDocument } from '../../src/publish/stored-document.ts';
import { openDirectory } from '../../src/store/directory/directory.ts';

/**
 * A publisher in a separate process, for tests that kill it: publishes the named versions one after the other, each an
 * artifact and an entry in a metadata file. Prints `ready`, then a line for each version, and an error at the end.
 */
export interface Job {
  root: string;
  versions: string[];
  /** Of an artifact. */
  bytes: number;
  /** How much the metadata file grows with each version. */
  padding?: number;
  wait?: number;
}

export const METADATA = 'apps/a/versions.json';

export function artifactPath(version: string): string {
  return `apps/a/versions/${version}.tar.gz`;
}

/** Bytes that depend on the version only, without long runs of one byte. */
export function artifactBytes(version: string, bytes: number): Uint8Array {
  const seed = createHash('sha256').update(version).digest();
  return Uint8Array.from({ length: bytes }, (_, i) => (seed[i % 32]! + (i >> 5) * 31) & 255);
}

export function checksum(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export interface Metadata {
  versions: { version: string; artifactChecksum: string; padding: string }[];
}

/** Publishes the versions of a job in this process. @param print receives the lines */
export async function publish(
  { root, versions, bytes, padding = 0, wait }: Job,
  print: (line: string) => void,
): Promise<void> {
  const notice = (text: string): void => print(`notice ${text}`);
  const store = openDirectory(root, wait === undefined ? { notice } : { notice, wait });
  for (const version of versions) {
    const content = artifactBytes(version, bytes);
    const edit = ({ text, path }: Document): Document | null => {
      const metadata = JSON.parse(text) as Metadata;
      if (metadata.versions.some((one) => one.version === version)) return null;
      metadata.versions.push({ version, artifactChecksum: checksum(content), padding: 'x'.repeat(padding) });
      return documentWithText(`${JSON.stringify(metadata, null, 2)}\n`, path);
    };
    const document = await StoredDocument.read(store, METADATA);
    const listing = document && EditStep.of(document, { what: 'metadata' }, edit);
    const [artifact, entry] = await applyPlan(
      {
        steps: [
          { kind: 'create', path: artifactPath(version), bytes: content, what: 'artifact' },
          ...(listing === null ? [] : [listing]),
        ],
      },
      store,
    );
    print(`published ${version} ${artifact!.outcome} ${entry?.outcome ?? 'unchanged'}`);
  }
}

if (process.env['APPREG_TEST_JOB'] !== undefined) {
  console.log('ready');
  publish(JSON.parse(process.env['APPREG_TEST_JOB']), console.log).catch((error: unknown) => {
    if (!isAppregError(error)) throw error;
    const { code, message, hint, exit } = error;
    console.log(`failure ${JSON.stringify({ code, message, hint })}`);
    process.exitCode = exit;
  });
}
