import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { buildInto } from './built.ts';
import { CODE_CACHE } from './code-cache.ts';
import { VERSION } from '../../src/core/values/tool-version.ts';
import { folder, write } from './folders.ts';

/** Steps of GitHub workflows, run on this machine, with the appreg of this project behind npx. */

export interface Tools {
  /** Put in front of PATH. */
  bin: string;
}

/** @param gh a shell script in place of GitHub's own tool; @param version the version that npx is expected to run */
export async function makeTools(gh: string, version = VERSION): Promise<Tools> {
  const home = folder();
  await buildInto(home);
  const start = `require(${JSON.stringify(join(home, 'dist/node/main.cjs'))}).main(process.argv).then((code) => { process.exitCode = code; });`;
  write(home, {
    'package.json': { type: 'commonjs' },
    'bin/appreg': `#!${process.execPath}\n${start}\n`,
    'bin/npx': `#!/bin/sh
case "$1 $2 $3" in
  "--yes appreg@${version} "*) shift 2 ;;
  "--yes --package=appreg@${version} appreg") shift 3 ;;
  *) exit 99 ;;
esac
exec appreg "$@"
`,
    'bin/gh': gh,
  });
  for (const name of ['appreg', 'gh', 'npx']) chmodSync(join(home, 'bin', name), 0o755);
  // The program of esbuild is a package that appreg depends on.
  const programs = fileURLToPath(new URL('../../node_modules/@esbuild', import.meta.url));
  symlinkSync(programs, join(home, 'node_modules/@esbuild'), 'junction');
  return { bin: join(home, 'bin') };
}

/** The script of a job's last step. */
export function scriptOf(workflow: string, job: string): string {
  const { steps } = parse(readFileSync(workflow, 'utf8')).jobs[job];
  return steps.at(-1).run;
}

export interface Ran {
  status: number | null;
  /** stdout and stderr. */
  output: string;
}

/** Runs a script as the runner does; asynchronous, since this process can serve its requests. */
export async function runScript({ bin }: Tools, script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env: {
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      HOME: cwd,
      NO_COLOR: '1',
      CI: 'true',
      ...CODE_CACHE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, output };
}
