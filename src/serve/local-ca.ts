import { message } from '../core/text/message.ts';
import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { safeExcerpt } from '../core/text/text.ts';
import { homeFolder } from '../platform/home-folder.ts';
import { AppregError } from '../core/errors/error.ts';
import { isLocal, makeAuthority, makeKey, makeLeaf } from './certificates.ts';
import { makeFolder, whyNotUsable } from '../platform/make-folder.ts';
import { readRegularFile } from '../platform/regular-file.ts';

const DAY = 86_400_000;
const AUTHORITY_DAYS = 730;
/** Browsers refuse leaf certificates with a longer validity. */
const LEAF_DAYS = 397;
/** A CA certificate with less remaining validity is replaced. */
const RENEW_DAYS = 30;
/** The clocks of other machines and containers may be slow. */
const CLOCK_SKEW = DAY;

export interface LocalCertificate {
  /** For the server: PEM; the chain includes the CA, so that clients can name it in errors. */
  key: string;
  cert: string;
  /** The CA certificate, for `--ca` and NODE_EXTRA_CA_CERTS: an absolute path. */
  caFile: string;
  /** True if the CA certificate was just created and has to be trusted again. */
  isNew: boolean;
}

/** The folder of this user's local CA. `APPREG_CA_DIR` overrides it. */
export function authorityFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const named = env['APPREG_CA_DIR'];
  if (named) return named;
  const xdg = env['XDG_DATA_HOME'];
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(requireHome(), 'AppData', 'Local'), 'appreg', 'local-ca');
  if (xdg && isAbsolute(xdg)) return join(xdg, 'appreg', 'local-ca');
  if (platform === 'darwin') return join(requireHome(), 'Library', 'Application Support', 'appreg', 'local-ca');
  return join(requireHome(), '.local', 'share', 'appreg', 'local-ca');
}

function requireHome(): string {
  const home = homeFolder();
  if (home !== null) return home;
  throw new AppregError(
    'local-ca-unusable',
    message`The folder of the local certificate authority is unknown, because HOME is not an absolute path.`,
    message`Set HOME, or APPREG_CA_DIR to a folder that is kept.`,
    { effect: 'none' },
  );
}

/**
 * A certificate for localhost, 127.0.0.1, ::1 and `host`, the address listened on (0.0.0.0 and :: mean every local
 * address of this machine), signed by this user's local CA, which is created by the first call and stored in `folder`.
 * The server's own key is kept only in memory.
 * Throws AppregError: `local-ca-unusable` if the folder cannot be used, `host-not-local` for a name that a local CA must not
 * certify.
 */
export async function localCertificate(folder: string, host: string, now = new Date()): Promise<LocalCertificate> {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const hosts = isEverywhere ? ownAddresses().filter(isLocal) : [host];
  if (!hosts.every(isLocal)) throw notLocalError(host);
  const caFile = join(folder, 'ca.pem');
  const { key, cert, isNew } = await authority(folder, caFile, now);
  const end = Math.min(now.getTime() + LEAF_DAYS * DAY - CLOCK_SKEW, Date.parse(new X509Certificate(cert).validTo));
  const names = [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])];
  const leaf = await makeLeaf({ key, cert }, names, { notBefore: notBeforeOf(now), notAfter: new Date(end) });
  return { key: leaf.key, cert: leaf.cert + cert, caFile, isNew };
}

/**
 * The certificate authority in a folder, which is created if it is missing: its key and certificate (PEM).
 * Throws AppregError `local-ca-unusable` if the folder cannot be used.
 */
export async function openLocalAuthority(folder: string, now: Date): Promise<{ key: string; cert: string }> {
  const { key, cert } = await authority(folder, join(folder, 'ca.pem'), now);
  return { key, cert };
}

/** The start of a certificate's validity: earlier than now, for clients whose clock is slow. */
function notBeforeOf(now: Date): Date {
  return new Date(now.getTime() - CLOCK_SKEW);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

function notLocalError(host: string): AppregError {
  return new AppregError(
    'host-not-local',
    message`The local certificate authority cannot issue a certificate for “${safeExcerpt(host)}”: it is limited to local names.`,
    message`Use localhost, a private address, or a name that ends in .localhost, .test, .local or .internal.`,
  );
}

/**
 * The key identifies the CA: it is created once, and concurrent processes use the first one's. So if two servers start
 * at once, it does not matter which of them writes the certificate last: either verifies the leaves of both.
 */
async function authority(
  folder: string,
  caFile: string,
  now: Date,
): Promise<{ key: string; cert: string; isNew: boolean }> {
  try {
    await makeFolder(folder, 0o700);
    const keyFile = join(folder, 'ca-key.pem');
    const key = (await readIfThere(keyFile)) ?? (await createOrRead(keyFile, makeKey()));
    const cert = await readIfThere(caFile);
    if (cert !== null && isUsable(cert, key, now)) return { key, cert, isNew: false };
    const period = { notBefore: notBeforeOf(now), notAfter: new Date(now.getTime() + AUTHORITY_DAYS * DAY) };
    const created = await makeAuthority(key, `appreg local authority (${hostname()})`, period);
    await replace(caFile, created, 0o644);
    return { key, cert: created, isNew: true };
  } catch (error) {
    throw new AppregError(
      'local-ca-unusable',
      message`The local certificate authority in ${folder} cannot be used: ${whyNotUsable(error)}.`,
      message`Delete that folder to create a new one, or set APPREG_CA_DIR to another folder.`,
      { cause: error },
    );
  }
}

function isUsable(pem: string, key: string, now: Date): boolean {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    return false; // Truncated or overwritten: recreated from the key.
  }
  const remaining = Date.parse(certificate.validTo) - now.getTime();
  return certificate.checkPrivateKey(createPrivateKey(key)) && remaining > RENEW_DAYS * DAY;
}

async function readIfThere(file: string): Promise<string | null> {
  const read = readRegularFile(file);
  if ('bytes' in read) return read.bytes.toString();
  if (read.code === 'ENOENT') return null;
  throw new Error(`${basename(file)} ${read.failure}`);
}

/** Atomically creates a file unless it exists; returns the resulting content. */
async function createOrRead(file: string, text: string): Promise<string> {
  const temporary = await writeTemporary(file, text, 0o600);
  try {
    await link(temporary, file);
    return text;
  } catch {
    const existing = await readIfThere(file);
    if (existing !== null) return existing;
    // Some file systems do not support hard links (FAT, some network file systems).
    await rename(temporary, file);
    return text;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function replace(file: string, text: string, mode: number): Promise<void> {
  await rename(await writeTemporary(file, text, mode), file);
}

/** Writes a temporary file next to `file`, synced to disk, and returns its path. */
async function writeTemporary(file: string, text: string, mode: number): Promise<string> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  // FileHandle has no sync() under Yarn's Plug'n'Play.
  const descriptor = openSync(temporary, 'wx', mode);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
