import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandResult, runCommand } from '../command.ts';
import type { CaseRun, Driver, VerbResult } from './driver.ts';

/** Drives a program with three verbs: `subscribe <url> <name>`, `refresh` and `apps`. */

export interface CommandDriverOptions {
  /** The program and its first arguments. */
  words: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The folder for the states of cases. */
  stateFolder: string;
  /** Milliseconds per verb. */
  timeout: number;
}

/** The exit codes with which shells report that they could not start a program. */
const NOT_STARTED = new Set([126, 127]);

export function openCommandDriver({ words, cwd, env, stateFolder, timeout }: CommandDriverOptions): Driver {
  const folderOf = ({ id }: CaseRun): string => join(stateFolder, id);
  const run = async (one: CaseRun, ...args: string[]): Promise<VerbResult> => {
    const state = folderOf(one);
    await mkdir(state, { recursive: true });
    const result = await runCommand([...words, ...args], {
      cwd,
      timeout,
      env: {
        ...env,
        CONFORMANCE_STATE: state,
        CONFORMANCE_CA: one.caFile,
        CONFORMANCE_NOW: one.now,
        NODE_EXTRA_CA_CERTS: one.caFile,
        SSL_CERT_FILE: one.caFile,
      },
    });
    return resultOf(result, args[0] ?? '');
  };
  return {
    subscribe: (one, url, name) => run(one, 'subscribe', url, name),
    refresh: (one) => run(one, 'refresh'),
    apps: (one) => run(one, 'apps'),
    end: (one) => rm(folderOf(one), { recursive: true, force: true }),
  };
}

function resultOf({ code, stdout, stderr, stopped }: CommandResult, verb: string): VerbResult {
  if (stopped === 'timeout') return { end: 'timeout', details: stderr };
  if (stopped !== null || code === null) return { end: 'crash', details: stderr };
  if (NOT_STARTED.has(code)) throw new Error(`The command ended with exit code ${code} for ${verb}: ${stderr}`);
  return code === 0 ? { end: 'success', output: stdout } : { end: 'failure', details: stderr };
}
