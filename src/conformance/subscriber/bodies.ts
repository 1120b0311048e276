import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { entry, tgz } from '../hosts/tar-builder.ts';
import type { ArchiveEntry, ServedFile } from './case.ts';

/** The bytes that the hosts of a script serve. Pure. */

/** What the texts of a script may name. */
export interface Names {
  /** The origins of hosts by name, and other values. */
  values: ReadonlyMap<string, string>;
  /** The files of the hosts, by place. */
  files: ReadonlyMap<string, ServedFile>;
}

type Members = Readonly<Record<string, unknown>>;

/** The body of a response. @throws Error if the script is invalid */
export function bodyOf(file: ServedFile, names: Names): Buffer {
  const body = wholeBodyOf(file, names).subarray(0, file.first);
  return Buffer.concat([body, Buffer.alloc(Math.max(0, (file.padTo ?? 0) - body.length), ' ')]);
}

function wholeBodyOf({ apps, versions, json, text, base64, archive, same }: ServedFile, names: Names): Buffer {
  if (apps !== undefined) return jsonBody({ apps: entriesOf(apps) }, names);
  if (versions !== undefined) return jsonBody({ versions: versionsOf(versions) }, names);
  if (json !== undefined) return jsonBody(json, names);
  if (text !== undefined) return Buffer.from(expandText(text, names));
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  if (archive !== undefined) return archiveOf(archive);
  return same === undefined ? Buffer.alloc(0) : bytesAt(same, names);
}

function jsonBody(value: unknown, names: Names): Buffer {
  return Buffer.from(expandText(JSON.stringify(value), names));
}

function entriesOf(apps: Readonly<Record<string, Members>>): Members {
  return Object.fromEntries(
    Object.entries(apps).map(([key, members]) => [
      key,
      withMembers(
        {
          name: `The ${key}`,
          description: `Controls a ${key}.`,
          blockStyle: { iconUrl: '{registry}/icon.svg', color: '#336699' },
          appMetadataUrl: `{registry}/${key}.json`,
        },
        members,
      ),
    ]),
  );
}

function versionsOf(versions: Readonly<Record<string, Members>>): Members[] {
  return Object.entries(versions).map(([version, { path = `/lamp-${version}.tar.gz`, ...members }]) =>
    withMembers(
      { version, artifactUrl: `{registry}${String(path)}`, artifactChecksum: `sha256:{sha256:${String(path)}}` },
      members,
    ),
  );
}

/** The object with some members replaced; null deletes one. */
function withMembers(whole: Members, members: Members): Members {
  return Object.fromEntries(Object.entries({ ...whole, ...members }).filter(([, value]) => value !== null));
}

function archiveOf(entries: readonly ArchiveEntry[]): Buffer {
  return tgz(
    ...entries.map(({ path, text = '', zeros, type, link }) =>
      entry(path, zeros === undefined ? text : Buffer.alloc(zeros), {
        ...(type === undefined ? {} : { type }),
        ...(link === undefined ? {} : { link }),
      }),
    ),
  );
}

function bytesAt(place: string, names: Names): Buffer {
  const file = names.files.get(place);
  if (file === undefined) throw new Error(`The script names the bytes of ${place}, which it does not serve.`);
  return bodyOf(file, names);
}

const DIGESTS: Readonly<Record<string, (bytes: Buffer) => string>> = {
  sha256: (bytes) => digest('sha256', bytes),
  SHA256: (bytes) => digest('sha256', bytes).toUpperCase(),
  sha1: (bytes) => digest('sha1', bytes),
  md5: (bytes) => digest('md5', bytes),
  sri: (bytes) => createHash('sha256').update(bytes).digest('base64'),
  unzipped: (bytes) => digest('sha256', gunzipSync(bytes)),
};

function digest(algorithm: string, bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex');
}

/** Replaces `{name}` and `{digest:/path}`. @throws Error for an unknown name */
export function expandText(text: string, names: Names): string {
  return text.replace(/\{([a-zA-Z][\w-]*)(?::([^{}"]+))?\}/g, (_, name: string, place: string | undefined) => {
    const value = place === undefined ? names.values.get(name) : DIGESTS[name]?.(bytesAt(place, names));
    if (value === undefined) throw new Error(`The script names the unknown value {${name}}.`);
    return value;
  });
}
