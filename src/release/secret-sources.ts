import type { ArchiveFacts } from '../core/facts/facts.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { shownSource } from '../observe/content/modules.ts';
import { ContentScanner } from '../observe/content/scan-content.ts';
import { readRegularFile } from '../platform/regular-file.ts';

/**
 * Names the source files of the secrets in code that was just built, where the code itself does not: minified code has
 * no comments with the paths of its modules. The files are searched for the same secrets.
 */
export async function withSecretSources(
  archive: ArchiveFacts,
  { modules }: Pick<Bundle, 'modules'>,
): Promise<ArchiveFacts> {
  const { scan } = archive;
  if (scan === undefined || scan.secrets.every(({ source }) => source !== undefined)) return archive;
  const paths = [...modules.keys()];
  const scanner = new ContentScanner();
  for (const [index, path] of paths.entries()) {
    const read = readRegularFile(modules.get(path) ?? path);
    if (!('bytes' in read)) continue;
    // By its number: files of some names are not searched, or are searched as settings.
    scanner.open(`${index}.js`, read.bytes.length);
    scanner.write(Buffer.from(read.bytes));
    await scanner.drain();
  }
  const found = (await scanner.end()).secrets;
  const sourceOf = new Map(found.map(({ fingerprint, entry }) => [fingerprint, paths[Number.parseInt(entry, 10)]]));
  const secrets = scan.secrets.map((secret) => {
    const source = secret.source ?? shownSource(sourceOf.get(secret.fingerprint) ?? null);
    return source === null ? secret : { ...secret, source };
  });
  return { ...archive, scan: { ...scan, secrets } };
}
