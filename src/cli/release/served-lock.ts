import { message } from '../../core/text/message.ts';
import { printable, redact, safeExcerpt } from '../../core/text/text.ts';
import { documentContent } from '../../core/json/json.ts';
import { isAnswered, statusOf } from '../../core/http/probe.ts';
import { explainUnreachable } from '../../core/rules/http/unreachable.ts';
import { type LockFile, LOCK_FILE, readLockFile } from '../../core/registry/lock-file.ts';
import type { Context } from '../context.ts';
import { registryUrl } from '../check/verify-options.ts';
import { downloadBytes, SMALL_FILE_LIMITS } from '../../observe/http/download.ts';
import { networkOf } from '../config/network.ts';

/** Statuses for a file that does not exist; buckets that must not be listed respond with 403. */
const ABSENT = [403, 404, 410];

/**
 * The lock file that is served beside a manifest; null if none is. Without it, bytes that another esbuild wrote count
 * as a change, so an unusable one is reported.
 * @param manifest the URL of the manifest
 */
export async function servedLock({ env, terminal }: Context, manifest: string): Promise<LockFile | null> {
  const url = new URL(LOCK_FILE, registryUrl(manifest)).href;
  const { openHttpClient } = await import('../../observe/http/client.ts');
  const http = openHttpClient(networkOf(env));
  const unusable = (why: string): null => {
    terminal.log(
      message`warning: ${safeExcerpt(url)} ${why}; apps that were built with another version of esbuild are reported as changed`,
    );
    return null;
  };
  try {
    const request = { url, accept: 'application/json', limits: SMALL_FILE_LIMITS };
    const { probe, bytes } = await downloadBytes(http, request);
    if (probe.failure === null && ABSENT.includes(statusOf(probe))) return null;
    if (!isAnswered(probe)) {
      const why = explainUnreachable(probe, new Date().toISOString(), false)?.message ?? 'it was not requested.';
      return unusable(`cannot be fetched: ${printable(redact(why)).replace(/\.$/, '')}`);
    }
    const lock = readLockFile(documentContent(bytes));
    return 'faults' in lock
      ? unusable(`is not a valid lock file (${lock.faults.map(({ message }) => message).join(' ')})`)
      : lock;
  } finally {
    await http.close();
  }
}
