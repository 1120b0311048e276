// The files of the container images, below one folder: `system` (what Node.js needs of a system), `appreg` and `service`. The
// Containerfile copies them. The libraries are those of this machine, so it has the architecture of the image.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedFiles } from './archives.mjs';
import { fetchPrograms } from './platforms.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The user of the images: without a name that a host would know, and without rights. */
const USER = 65532;

/** The shared libraries of a program, and the loader: absolute paths. */
function librariesOf(program) {
  const text = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...text.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
}

/** @param programs as of `fetchPrograms`, of this machine's platform */
export function writeImageFiles(folder, platform, programs) {
  rmSync(folder, { recursive: true, force: true });
  const system = join(folder, 'system');
  for (const path of librariesOf(programs.node)) {
    mkdirSync(join(system, dirname(path)), { recursive: true });
    copyFileSync(path, join(system, path));
  }
  const files = {
    'etc/passwd': `appreg:x:${USER}:${USER}::/home/appreg:/sbin/nologin\n`,
    'etc/group': `appreg:x:${USER}:\n`,
    'etc/nsswitch.conf': 'hosts: files dns\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(system, dirname(path)), { recursive: true });
    writeFileSync(join(system, path), text);
  }
  mkdirSync(join(system, 'tmp'), { recursive: true });
  chmodSync(join(system, 'tmp'), 0o1777);
  for (const path of ['home/appreg', 'registry']) mkdirSync(join(system, path), { recursive: true, mode: 0o755 });
  for (const { path, bytes, mode } of installedFiles(platform, programs)) {
    // A layer of its own: the image of the tool does not have the service.
    const file = join(folder, path.includes('/appreg-service/') ? 'service' : 'appreg', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode });
  }
  cpSync(join(root, 'deploy/Containerfile'), join(folder, 'Containerfile'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const platform = `linux-${process.arch}`;
  writeImageFiles(process.argv[2] ?? 'image', platform, fetchPrograms(platform));
}
