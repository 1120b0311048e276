import { AppregError, isObject, jsonValueIn, message } from 'appreg';
import { type Hash, createHash } from 'node:crypto';
import { type Database } from '../tables/tables.ts';

/**
 * The format of a backup, before gzip: a line of JSON (the header); for each of its tables, the rows as in
 * `COPY … TO STDOUT`, then the line `\.`; a line of JSON (the trailer) with the SHA-256 of everything before it. It
 * depends neither on the release of PostgreSQL nor on its machine.
 */

export interface BackupHeader {
  format: 'appreg-backup';
  version: 1;
  /** The version of appreg that wrote it. */
  appreg: string;
  createdAt: string;
  /** The migrations of the database, by name. */
  migrations: string[];
  /** In an order in which rows refer only to rows of the same and of earlier tables. */
  tables: BackupTable[];
  sequences: BackupSequence[];
}

export interface BackupTable {
  name: string;
  columns: string[];
}

/** The sequence of a column: its next value. */
export interface BackupSequence {
  table: string;
  column: string;
  next: string;
}

export interface BackupTrailer {
  /** Of each table. */
  rows: Record<string, number>;
  sha256: string;
}

export const END_OF_ROWS = Buffer.from('\\.\n');

export function jsonLine(value: BackupHeader | BackupTrailer): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

export function newDigest(): Hash {
  return createHash('sha256');
}

/** @throws AppregError `backup-unusable`, `backup-newer` */
export function headerIn(line: string): BackupHeader {
  const header = jsonValueIn(line);
  if (!isObject(header) || header['format'] !== 'appreg-backup' || typeof header['version'] !== 'number')
    throw notABackup();
  if (header['version'] > 1)
    throw new AppregError(
      'backup-newer',
      message`The backup was made by a newer version of appreg, in a format that this version does not support.`,
      message`Restore it with the version of appreg that made it, or a later one.`,
    );
  if (!isHeader(header)) throw damagedBackup('its header is not valid');
  return header;
}

function isHeader(value: unknown): value is BackupHeader {
  if (!hasTexts(value, ['format', 'appreg', 'createdAt'])) return false;
  return (
    isListOf(Reflect.get(value, 'migrations'), isText) &&
    isListOf(Reflect.get(value, 'tables'), isTable) &&
    isListOf(Reflect.get(value, 'sequences'), (sequence) => hasTexts(sequence, ['table', 'column', 'next']))
  );
}

function isTable(value: unknown): value is BackupTable {
  return hasTexts(value, ['name']) && isListOf(Reflect.get(value, 'columns'), isText);
}

/** @throws AppregError `backup-unusable` */
export function trailerIn(line: string): BackupTrailer {
  const trailer = jsonValueIn(line);
  if (!isTrailer(trailer)) throw damagedBackup('its last line is missing or not valid');
  return trailer;
}

function isTrailer(value: unknown): value is BackupTrailer {
  return hasTexts(value, ['sha256']) && typeof Reflect.get(value, 'rows') === 'object';
}

function isListOf(value: unknown, isValid: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isValid);
}

function hasTexts(value: unknown, names: readonly string[]): value is object {
  return typeof value === 'object' && value !== null && names.every((name) => isText(Reflect.get(value, name)));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function notABackup(): AppregError {
  return new AppregError(
    'backup-unusable',
    message`The file is not an appreg backup.`,
    message`Give a file that appreg service backup wrote.`,
  );
}

export function damagedBackup(how: string): AppregError {
  return new AppregError(
    'backup-unusable',
    message`The backup is damaged: ${how}.`,
    message`Use another copy of it, or an earlier backup.`,
    { effect: 'none' },
  );
}

/**
 * The tables whose rows are backed up. Those of `refresh_jobs` are not: a job only says that a registry is due, and is
 * added again from the row of the registry.
 */
const TABLES: Record<keyof Database, true> = {
  organizations: true,
  tokens: true,
  sessions: true,
  auditEntries: true,
  webhooks: true,
  webhookDeliveries: true,
  registries: true,
  registryCredentials: true,
  subscriptions: true,
  apps: true,
  versions: true,
  aboutFiles: true,
  aboutVersions: true,
  attestations: true,
  attestationDecisions: true,
  policyDecisions: true,
  icons: true,
  events: true,
  artifacts: true,
  keptArtifacts: true,
};

/** Their names in the database. */
export const BACKUP_TABLES: readonly string[] = Object.keys(TABLES).map((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);
