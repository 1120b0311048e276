import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { Content } from '../../../src/core/facts/facts.ts';
import { receiveArtifact } from '../../src/artifacts/receiving.ts';

/** The file of an artifact on a disk that fails. */

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-receiving-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether it is a descriptor of a file in the folder. */
function isInFolder(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
  } catch {
    return false;
  }
}

test.skipIf(process.platform !== 'linux')('an artifact whose file cannot be closed is not kept', async () => {
  const [onReceived, onError] = [vi.fn(), vi.fn()];
  const copy = receiveArtifact({ folder, limit: 1000, onReceived, onError });
  const bytes = Buffer.from('bytes of an artifact');
  await copy.write(bytes);
  // A network file system may report a full disk only when the file is closed: here it is closed already.
  for (const fd of readdirSync('/proc/self/fd').filter(isInFolder)) closeSync(Number(fd));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await copy.end({ cut: false, sha256 } as unknown as Content);
  expect(onReceived).not.toHaveBeenCalled();
  expect(onError.mock.calls).toMatchObject([[{ code: 'EBADF' }]]);
  expect(readdirSync(folder)).toEqual([]);
});
