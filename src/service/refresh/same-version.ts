import type { StoredVersion } from '../database/tables.ts';

/** Whether the row of a version needs no write. */
export function isSameVersion(a: StoredVersion, b: StoredVersion | undefined): boolean {
  return b !== undefined && COLUMNS.every((name) => isEqual(a[name], b[name]));
}

// The time of the last attempt on a refused version does not justify a write each hour.
const COLUMNS = [
  'artifactUrl',
  'artifactChecksum',
  'state',
  'rule',
  'reason',
  'verifiedAt',
  'bytes',
  'swappedChecksum',
  'servedChecksum',
  'withdrawnAt',
  'lostAt',
] as const;

function isEqual(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
