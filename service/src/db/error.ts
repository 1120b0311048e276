import { errorCode, errorMessage } from '../log.ts';

/** Reasons why the database cannot do its work at the moment. The same statement can succeed later. */
export type DatabaseFault =
  /** It cannot be reached, or it is starting, stopping or restarting. */
  | 'unreachable'
  | 'disk-full'
  /** It is a replica, or was set to read-only. */
  | 'read-only'
  | 'disk-error'
  /** Too many connections, no memory, a deadlock, or a statement that took too long. */
  | 'overloaded';

/** By the code of PostgreSQL (appendix A of its manual), or of Node. */
const FAULTS: readonly (readonly [RegExp, DatabaseFault])[] = [
  [
    /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)$/,
    'unreachable',
  ],
  // Connections, logins, the database's name; and a shutdown, a crash, or a start in progress.
  [/^(08|28)\w{3}$|^3D000$|^57P0[1-5]$/, 'unreachable'],
  [/^53100$/, 'disk-full'],
  [/^25006$/, 'read-only'],
  [/^58\w{3}$/, 'disk-error'],
  [/^(53\w{3}|57014|55P03|40001|40P01|25P03|25P04)$/, 'overloaded'],
];

/** Errors of the client library, which have no code. */
const MESSAGES: readonly (readonly [RegExp, DatabaseFault])[] = [
  [
    /^(Connection terminated|timeout expired|Client has encountered a connection error|Client was closed)/,
    'unreachable',
  ],
  // The node is stopping.
  [/^(Cannot use a pool after calling end|driver has already been destroyed)/, 'unreachable'],
  [/^(timeout exceeded when trying to connect|Query read timeout)/, 'overloaded'],
  [/: No space left on device$/, 'disk-full'],
  [/: Read-only file system$/, 'read-only'],
];

/** @returns null if the error has another cause: a defect */
export function databaseFault(error: unknown): DatabaseFault | null {
  const code = errorCode(error);
  const message = errorMessage(error);
  // The socket of a server on this machine is missing.
  if (code === 'ENOENT' && message.startsWith('connect ')) return 'unreachable';
  const found = FAULTS.find(([codes]) => codes.test(code)) ?? MESSAGES.find(([texts]) => texts.test(message));
  return found?.[1] ?? null;
}

const TIMEOUT_CODES = /^(ETIMEDOUT|57014|55P03)$/;
const TIMEOUT_MESSAGES =
  /^(Connection terminated due to connection timeout|timeout expired|timeout exceeded when trying to connect|Query read timeout)/;

/** True if a time limit was over: the cause may be this process. */
export function isTimeout(error: unknown): boolean {
  return TIMEOUT_CODES.test(errorCode(error)) || TIMEOUT_MESSAGES.test(errorMessage(error));
}

/** Effect of a fault of the database, for people. */
export const FAULT_MESSAGES: Record<DatabaseFault, string> = {
  unreachable: 'The database does not respond.',
  'disk-full': 'The database cannot be written: its disk is full.',
  'read-only': 'The database cannot be written: it is read-only.',
  'disk-error': 'The database cannot read or write its files.',
  overloaded: 'The database is overloaded.',
};

/** The organization or the token of a request was deleted, or the token was rotated, while the request was handled. */
export class CallerDeleted extends Error {}

/** Constraints of rows that an organization, or a session of its token, has. */
const CALLER_CONSTRAINTS = /^\w+_(organization_id|owner_id)_fkey$|^sessions_token_id_fkey$/;

/** True also if the database refused a row of such an organization. */
export function isCallerDeleted(error: unknown): boolean {
  if (error instanceof CallerDeleted) return true;
  if (errorCode(error) !== FOREIGN_KEY_VIOLATION) return false;
  return error instanceof Error && 'constraint' in error && CALLER_CONSTRAINTS.test(String(error.constraint));
}

/** PostgreSQL: foreign_key_violation. */
export const FOREIGN_KEY_VIOLATION = '23503';
