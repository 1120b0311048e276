import { AppregError, type Effect, type ErrorCode, message, safe, type SafeText } from 'appreg';
import { errorCode, errorMessage } from '../log.ts';
import { type DatabaseFault, databaseFault, FAULT_MESSAGES } from './error.ts';
import { Client } from 'pg';

/** Refusals by a database at the start of the service, for a backup and for a restore: with place, cause and remedy. */

/** Roles, databases and schemas by the names that an operator writes into statements. */
interface Names {
  user: string;
  database: string;
}

/** Remedy of a refusal, by the error of the server or of the client library. */
interface Refusal {
  code: ErrorCode;
  /** Codes of PostgreSQL (appendix A of its manual), or of Node. */
  codes: RegExp;
  /** The text of the error has to match as well. */
  text?: RegExp;
  hint(names: Names, text: string): SafeText;
}

/** The first one that matches applies. Only what no later attempt can change without an operator. */
const REFUSALS: readonly Refusal[] = [
  {
    code: 'database-rights-missing',
    codes: /^42501$/,
    text: /owner of|for (table|sequence|view|relation|function|type) /,
    hint: ({ user }) =>
      message`The tables belong to another role: use that role in DATABASE_URL, or make this one its member: GRANT <owner> TO ${sqlName(user)};`,
  },
  {
    code: 'database-rights-missing',
    codes: /^(42501|3F000)$/,
    hint: ({ user, database }, text) =>
      message`Run as an administrator of the server: GRANT CONNECT, CREATE ON DATABASE ${sqlName(database)} TO ${sqlName(user)}; and in that database: GRANT USAGE, CREATE ON SCHEMA ${sqlName(schemaIn(text))} TO ${sqlName(user)};`,
  },
  {
    code: 'database-login-refused',
    codes: /^3D000$/,
    hint: ({ user, database }) =>
      message`Create it: CREATE DATABASE ${sqlName(database)} OWNER ${sqlName(user)} ENCODING 'UTF8' TEMPLATE template0; or correct the name in DATABASE_URL.`,
  },
  {
    code: 'database-login-refused',
    codes: /^55000$/,
    text: /not currently accepting connections/,
    hint: ({ database }) => message`Allow connections: ALTER DATABASE ${sqlName(database)} ALLOW_CONNECTIONS true;`,
  },
  {
    code: 'database-login-refused',
    codes: /^28\w{3}$/,
    text: /no encryption|SSL off/i,
    hint: () =>
      message`Its pg_hba.conf has no entry for this connection, possibly because it requires TLS: add ?sslmode=verify-full to DATABASE_URL, with &sslrootcert=<file> for a private certificate authority.`,
  },
  {
    code: 'database-login-refused',
    codes: /^28/,
    hint: () => message`Check the user and the password in DATABASE_URL, and the pg_hba.conf of the server.`,
  },
  {
    code: 'database-login-refused',
    codes: /^$/,
    text: /does not support SSL connections/,
    hint: () => message`Turn on TLS in the server, or remove sslmode from DATABASE_URL.`,
  },
  {
    code: 'database-login-refused',
    codes: /^$/,
    text: /SASL|password must be a string|SCRAM/,
    hint: () => message`Write the password into DATABASE_URL: postgres://user:password@host/database.`,
  },
  {
    code: 'database-login-refused',
    codes: /CERT|^UNABLE_TO_|^DEPTH_ZERO|^ERR_TLS|^HOSTNAME_MISMATCH$/,
    hint: () =>
      message`Its certificate is not trusted: add sslrootcert=<file> with its certificate authority to DATABASE_URL, and use the host name of the certificate.`,
  },
];

/**
 * The error of a database that refuses what the service needs, for an operator; null for one that a later attempt may
 * not have, and for a defect.
 * @param url of the database, for the names in the remedy
 * @param effect what the refused work has done
 */
export function refusalOf(error: unknown, url: string, effect: Effect | null = null): AppregError | null {
  const [code, text] = [errorCode(error), errorMessage(error)];
  const found = REFUSALS.find(({ codes, text: words }) => codes.test(code) && (words?.test(text) ?? true));
  if (found === undefined) return null;
  const names = namesIn(url);
  return new AppregError(
    found.code,
    message`The PostgreSQL server at ${safe(placeOf(url))} refuses appreg: ${sentence(text)}`,
    found.hint(names, text),
    { cause: error, effect },
  );
}

/** The remedy of each fault that lasts. */
const FAULT_REMEDIES: Record<DatabaseFault, { code: ErrorCode; hint: SafeText }> = {
  unreachable: {
    code: 'database-unreachable',
    hint: message`Start it, or check the host and port in DATABASE_URL. Without DATABASE_URL, appreg runs an embedded server.`,
  },
  'disk-full': {
    code: 'database-unusable',
    hint: message`Free space on the disk of the server, then run the same command again.`,
  },
  'disk-error': { code: 'database-unusable', hint: message`Check the log of the server and its disks.` },
  'read-only': {
    code: 'database-unusable',
    hint: message`Set DATABASE_URL to the primary server: a standby cannot be written. If it is the primary, set default_transaction_read_only to off.`,
  },
  overloaded: {
    code: 'database-unusable',
    hint: message`Close other connections, or raise max_connections and the CONNECTION LIMIT of role and database. A node opens at most about 50 connections.`,
  },
};

/** The error of a database whose fault lasts. @param error that its last statement or connection ended with */
export function lastingFault(error: unknown, url: string, effect: Effect | null = null): AppregError {
  const fault = databaseFault(error) ?? 'unreachable';
  const { code, hint } = FAULT_REMEDIES[fault];
  return new AppregError(
    code,
    message`The PostgreSQL server at ${safe(placeOf(url))} cannot be used. ${FAULT_MESSAGES[fault]} ${sentence(errorMessage(error) || errorCode(error))}`,
    hint,
    { cause: error, effect },
  );
}

/** The words of a server, with the end of a sentence. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** As the client library reads them: what the URL lacks has defaults. */
export function namesIn(url: string): Names {
  const { user = '', database = '' } = new Client({ connectionString: url });
  return { user, database };
}

/** Host, port and database, without the user and the password. */
export function placeOf(url: string): SafeText {
  const { host, port, database = '' } = new Client({ connectionString: url });
  return message`${host}:${port}, database “${database}”,`;
}

/** The schema that a refusal is about; otherwise the usual one. */
function schemaIn(text: string): string {
  return /schema "?([^"\s]+)"?/.exec(text)?.[1] ?? 'public';
}

/** A name as in a statement: in quotes where it needs them. */
export function sqlName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
