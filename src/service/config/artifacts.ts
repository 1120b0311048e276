import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { invalidSetting } from './invalid-setting.ts';
import type { ArtifactSettings } from './settings.ts';

/** Bytes: 50 GB. */
const DEFAULT_LIMIT = 50e9;
const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/**
 * Where verified bytes are kept, and how many.
 * @param cwd the base of a relative folder @returns null without --artifacts
 * @throws AppregError `setting-invalid`
 */
export function artifactSettings(
  place: string | undefined,
  size: string | undefined,
  cwd: string,
): ArtifactSettings | null {
  if (place === undefined) {
    if (size === undefined) return null;
    throw invalidSetting(
      message`--artifacts-max is only valid with --artifacts.`,
      message`Add --artifacts <folder>, or omit --artifacts-max.`,
    );
  }
  return { place: placeIn(place, cwd), limit: size === undefined ? DEFAULT_LIMIT : bytesIn(size) };
}

function placeIn(text: string, cwd: string): ArtifactSettings['place'] {
  if (!/^\w+:\/\//.test(text) && text.trim() !== '') return { type: 'directory', folder: resolve(cwd, text) };
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  const prefix = path.replace(/\/+$/, '');
  if (bucket === undefined || prefix.split('/').some((part) => part === '..' || part === '.'))
    throw invalidSetting(
      message`--artifacts: “${text}” is neither a folder nor a bucket.`,
      message`Give a folder, or a bucket as s3://bucket/prefix.`,
    );
  return { type: 's3', bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** Decimal units: 1 GB is 1,000,000,000 bytes. */
function bytesIn(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  const bytes = Math.floor(Number(number) * (factor ?? 0));
  if (factor !== undefined && bytes >= 1e6 && Number.isSafeInteger(bytes)) return bytes;
  throw invalidSetting(
    message`--artifacts-max: “${text}” is not a size of at least 1 MB.`,
    message`Use a number with a decimal unit, such as 500MB, 50GB or 1TB.`,
  );
}
