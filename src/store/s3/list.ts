import type { S3Requests } from './request.ts';

/** Finds missing files by listing a bucket. */

/** The number of files that can be requested in the time of one page of a listing. */
const FILES_PER_PAGE = 64;

/**
 * The missing ones of the paths, as far as a listing of a few pages shows (ListObjectsV2). Nothing is known of the
 * others. A store that does not list is not an error: the result is then empty.
 * @param prefix prepended to every path
 */
export async function absentIn(
  { list }: Pick<S3Requests, 'list'>,
  prefix: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const folder = commonFolder(paths);
  const found = new Set<string>();
  let last = '';
  let token: string | null = null;
  for (let page = 0; page < Math.ceil(paths.length / FILES_PER_PAGE); page++) {
    const answer = await list({
      'list-type': '2',
      prefix: prefix + folder,
      ...(token !== null && { 'continuation-token': token }),
    }).catch(() => null);
    const text = answer?.status === 200 ? answer.bytes.toString('utf8') : '';
    if (!/<ListBucketResult[ >]/.test(text)) return new Set();
    for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
      const name = decodeEntities(key);
      // Not every store sorts its keys; then only a complete listing is conclusive.
      if (compare(name, last) < 0) last = '\uffff';
      else if (last !== '\uffff') last = name;
      found.add(name);
    }
    token = decodeEntities(/<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? '');
    if (!/<IsTruncated>true</.test(text)) return new Set(paths.filter((path) => !found.has(prefix + path)));
    if (token === '') break;
  }
  if (last === '\uffff') return new Set();
  return new Set(paths.filter((path) => !found.has(prefix + path) && compare(prefix + path, last) < 0));
}

/** The common folder of all paths, with its slash; '' for none. */
function commonFolder(paths: readonly string[]): string {
  let [folder = ''] = paths;
  for (const path of paths) while (!path.startsWith(folder)) folder = folder.slice(0, -1);
  return folder.slice(0, folder.lastIndexOf('/') + 1);
}

/** The sort order of stores: by the bytes of UTF-8. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an XML element with its entities decoded. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (entity, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name] ?? entity;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
}
