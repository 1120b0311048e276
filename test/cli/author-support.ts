import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { configAt } from '../support/config-at.ts';
import type { Context } from '../../src/cli/config/context.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { AppregError } from '../../src/core/errors/error.ts';
import { newJournal } from '../../src/store/journal.ts';
import { cliContext, type Printed } from '../support/cli-context.ts';

/** Commands as functions, in folders of their own, with a terminal that records. */

export interface Recorded extends Context {
  printed: Printed;
  /** The text of all questions. */
  questions(): string;
}

/** @param keys what the user types, one item for each question; with it the terminal is interactive */
export function contextIn(cwd: string, options: GlobalOptions = {}, keys: readonly string[] | null = null): Recorded {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 40 });
  let shown = '';
  let next = 0;
  output.on('data', (chunk: Buffer) => {
    const before = shown;
    shown += String(chunk);
    // Each question that appears gets its keys.
    for (const message of MESSAGES) {
      if (keys && !before.includes(message) && shown.includes(message))
        setImmediate(() => input.write(keys[next++] ?? '\u0003'));
    }
  });
  const context = cliContext({
    cwd,
    options,
    config: (from = cwd) => configAt(from, null, {}),
    ...(keys && { dialog: { input, output } }),
  });
  return { ...context, journal: newJournal(), questions: () => shown };
}

const MESSAGES = ['At which URL', 'Display name', 'What does it do', 'Background color', 'Icon:', 'Remove '];

/** Everything in a folder, with its bytes and modes, as one text: equal exactly when nothing was changed. */
export function snapshot(root: string): string {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const stat = lstatSync(join(root, path));
      const digest = stat.isFile()
        ? createHash('sha256')
            .update(readFileSync(join(root, path)))
            .digest('hex')
        : '';
      return `${path} ${stat.mode} ${stat.mtimeMs} ${digest}`;
    })
    .join('\n');
}

/** The error with which a command was refused. */
export async function refusal(promise: Promise<unknown>): Promise<AppregError> {
  return promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: AppregError) => error,
  );
}
