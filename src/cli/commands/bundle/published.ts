import { basename, dirname } from 'node:path';
import { AppregError } from '../../../core/errors/error.ts';
import { documentContent } from '../../../core/json/json.ts';
import { listedVersionsIn, versionFields } from '../../../core/registry/manifest.ts';
import { message } from '../../../core/text/message.ts';
import { parseUrl } from '../../../core/url/url.ts';
import { localPath } from '../../../observe/workspace/places.ts';
import { readRegularFile } from '../../../platform/regular-file.ts';

/**
 * Refuses to change a published artifact (spec 2.4): those of a metadata file are in the folder with its name, beside it.
 * @throws AppregError `immutable` (exit 1) for the artifact of a listed version with other bytes
 */
export function refusePublished(file: string, archive: Uint8Array): void {
  const folder = dirname(file);
  const metadata = readRegularFile(`${folder}.json`);
  if (!('bytes' in metadata)) return;
  const end = `/${basename(folder)}/${basename(file)}`;
  const listed = (listedVersionsIn(documentContent(metadata.bytes)) ?? [])
    .map(versionFields)
    .find(({ artifactUrl }) => artifactUrl !== null && `/${pathOnHost(artifactUrl)}`.endsWith(end));
  const old = listed === undefined ? null : readRegularFile(file);
  if (old === null || !('bytes' in old) || old.bytes.equals(archive)) return;
  throw new AppregError(
    'immutable',
    message`${file} is the artifact of the published version ${listed?.version ?? ''}, and the new archive has other bytes. A published file never changes.`,
    message`Choose another output, and publish it as a new version: appreg publish-version <app> patch --artifact <file>`,
    { effect: 'none' },
  );
}

/** The path that a URL names, as that of a file; '' for none. The base URL need not be known here. */
function pathOnHost(url: string): string {
  const parsed = parseUrl(url);
  return parsed === null ? '' : (localPath(parsed.href, `${parsed.origin}/`) ?? '');
}
